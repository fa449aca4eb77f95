//! Which paths of the kernel agents take, asked before each measured tick over slices.

use statewright_kernel::{Path, path_of};

use super::contender::Contender;
use super::machine::{Drive, Real};
use super::slices::InSlices;

/// How many agent-ticks took each path, by its number.
pub type Paths = [u64; Path::COUNT];

/// Counts them.
pub fn count<R: Real>(drive: &Drive) -> Result<Paths, String> {
    let machine = R::machine();
    let mut agents = InSlices::<R>::new(drive.agents)?;
    let warm_up = drive.warm_up_ticks::<R>(&machine);
    warm_up.iter().for_each(|inbox| agents.tick(inbox));
    let rom = machine.rom();
    let mut paths = Paths::default();
    for inbox in drive.measured_ticks::<R>(&machine).iter().skip(1) {
        let mut events = inbox.iter().peekable();
        for (place, instance) in (0..).zip(agents.instances()) {
            let event = events.next_if(|event| event.place == place);
            let event = event.map(|event| &event.event);
            let path = path_of(&rom, instance, event, agents.now());
            paths[usize::from(path.number())] += 1;
        }
        agents.tick(inbox);
    }
    Ok(paths)
}
