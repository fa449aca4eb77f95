use statewright_draw::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&a[1]).unwrap();
    let (out, d) = statewright_compile::compile_text(&a[1], &text, &Default::default());
    let out = out.unwrap_or_else(|| panic!("{d:?}"));
    let chart = Chart::new(&out.rom.as_rom(), &out.symbols);
    if a[3] == "text" { std::fs::write(format!("{}.mmd", a[2]), mermaid(&chart)).unwrap(); std::fs::write(format!("{}.dot", a[2]), dot(&chart)).unwrap(); std::fs::write(format!("{}.puml", a[2]), plantuml(&chart)).unwrap(); return; }
    if a[3] == "page" { std::fs::write(&a[2], page(&chart, &Facts { report: Some(&out.report), ..Default::default() }, &Options::default())).unwrap(); return; }
    let theme = if a[3] == "dark" { Theme::Dark } else { Theme::Light };
    std::fs::write(&a[2], svg(&chart, &Options { theme, ..Default::default() }).svg).unwrap();
}
