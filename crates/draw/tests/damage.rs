//! Whatever loads can be drawn: every seventh bit of a sample ROM flipped, the checksum made right
//! again (ROM-2).

use statewright_compile::compile_text;
use statewright_draw::{Chart, Facts, Options, dot, mermaid, page, plantuml, svg};
use statewright_rom::{Rom, seal};

#[test]
fn rom_2_whatever_loads_can_be_drawn() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../machines/soldier.sw.json"
    );
    let output = compile_text(
        "s",
        &std::fs::read_to_string(path).unwrap(),
        &Default::default(),
    )
    .0
    .unwrap();
    let mut bytes = output.rom.as_bytes().to_vec();
    let (mut drawn, mut refused) = (0, 0);
    for bit in (64 * 8..bytes.len() * 8).step_by(7) {
        let (byte, mask) = (bit / 8, 1 << (bit % 8));
        bytes[byte] ^= mask;
        seal(&mut bytes);
        match Rom::from_bytes(&bytes) {
            Err(_) => refused += 1,
            Ok(rom) => {
                drawn += 1;
                let chart = Chart::new(&rom, &output.symbols);
                // Text and tables of every one, the picture of some: it is the slow part.
                let all = mermaid(&chart).len() + dot(&chart).len() + plantuml(&chart).len();
                assert!(all > 0);
                if drawn % 4 == 0 {
                    assert!(!svg(&chart, &Options::default()).svg.is_empty());
                }
                if drawn % 64 == 0 {
                    assert!(!page(&chart, &Facts::default(), &Options::default()).is_empty());
                }
            }
        }
        bytes[byte] ^= mask;
    }
    assert!(
        drawn > 100 && refused > 100,
        "{drawn} drawn, {refused} refused"
    );
}
