// Starts `statewright lsp` for machine files. Everything else is the server's.

const { workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("statewright").get("path") || "statewright";
  const server = { command, args: ["lsp"], transport: TransportKind.stdio };
  client = new LanguageClient("statewright", "Statewright", server, {
    documentSelector: [{ language: "statewright" }],
  });
  return client.start();
};

exports.deactivate = () => client?.stop();
