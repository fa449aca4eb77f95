//! tmp
use statewright_author::render;
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let t = std::time::Instant::now();
        let (machine, found) = statewright_author::text::read(&path, &text);
        let (output, diagnostics) = statewright_compile::compile_with(&machine, found, &statewright_compile::Options { strict: true, dev: false });
        print!("{}", render::render_text(&diagnostics, &machine.source, render::Style::default()));
        if let Some(o) = output { println!("{}", o.report); println!("deep: {:?} {:?}", statewright_compile::deep::verify(&o.rom.as_rom()), t.elapsed()); }
    }
}
