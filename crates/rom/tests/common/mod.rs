//! A small hand-made ROM writer, independent of the compiler: tests fill tables, it lays out the
//! bytes.
//!
//! [`Tables`] is one vector per section and knows nothing. [`Machine`] derives what is tedious by
//! hand (tree fields, domains, plans, dispatch), from rules written here once more and not shared
//! with the loader.
#![allow(dead_code, reason = "each test file uses its part of it")]

use statewright_rom::layout::*;
use statewright_rom::{for_each_section, seal};
use zerocopy::byteorder::little_endian::{U16, U32};
use zerocopy::{FromZeros, IntoBytes};

mod polls;
pub mod samples;

macro_rules! define_tables {
    ($($number:literal $name:ident $field:ident $record:ident $origin:ident,)+) => {
        /// One vector per section.
        #[derive(Clone, Debug, Default)]
        pub struct Tables { pub header: Header, $(pub $field: Vec<$record>,)+ }

        impl Tables {
            fn sections(&self) -> Vec<(Section, usize, &[u8])> {
                vec![$((Section::$name, self.$field.len(), self.$field.as_bytes()),)+]
            }
        }
    };
}
for_each_section!(define_tables);

impl Tables {
    /// The bytes, with directory and checksum.
    pub fn build(&self) -> Vec<u8> {
        let sections: Vec<_> = self
            .sections()
            .into_iter()
            .filter(|(_, count, _)| *count > 0)
            .collect();
        let mut header = self.header;
        header.head = FORMAT.head(header.head.hashes());
        header.directory_offset = 64.into();
        header.directory_count = (sections.len() as u16).into();
        let mut offset = (64 + 12 * sections.len()).next_multiple_of(8);
        let mut directory = Vec::new();
        let mut body = vec![0; offset - 64 - 12 * sections.len()];
        for (section, count, bytes) in sections {
            directory.extend_from_slice(entry(section, offset, count).as_bytes());
            body.extend_from_slice(bytes);
            offset += bytes.len();
            body.resize(body.len() + offset.next_multiple_of(8) - offset, 0);
            offset = offset.next_multiple_of(8);
        }
        header.length = (offset as u32).into();
        let mut rom = [header.as_bytes(), &directory, &body].concat();
        seal(&mut rom);
        rom
    }
}

fn entry(section: Section, offset: usize, count: usize) -> DirectoryEntry {
    DirectoryEntry {
        kind: (section as u16).into(),
        record_size: (section.record_size() as u16).into(),
        offset: (offset as u32).into(),
        count: (count as u32).into(),
    }
}

/// Where a directory entry of a section lies in built bytes.
pub fn directory_place(bytes: &[u8], section: Section) -> usize {
    (64..)
        .step_by(12)
        .find(|&at| u16::from_le_bytes([bytes[at], bytes[at + 1]]) == section as u16)
        .expect("the section is there")
}

/// Where a section lies in built bytes.
pub fn section_place(bytes: &[u8], section: Section) -> usize {
    let at = directory_place(bytes, section);
    u32::from_le_bytes(bytes[at + 4..at + 8].try_into().expect("four bytes")) as usize
}

/// Candidates: index and kind.
type Run = Vec<(u16, CandidateKind)>;
/// Candidate lists that are there already.
type Known = std::collections::HashMap<Run, u32>;

/// What a transition is made from.
#[derive(Clone, Debug)]
pub struct Arrow {
    pub source: u16,
    pub trigger: u16,
    pub targets: Vec<TargetRecord>,
    pub flags: u16,
}

/// Derives tables from a tree and arrows.
pub struct Machine {
    pub tables: Tables,
    /// Number of the region inside its owner, per state.
    places: Vec<usize>,
    pub arrows: Vec<Arrow>,
    /// Initial targets by (owner, number of the region) instead of the first child.
    pub initials: Vec<(u16, usize, Vec<TargetRecord>)>,
    /// Initial effects by (owner, number of the region).
    pub effects: Vec<(u16, usize, u16)>,
    pub dense: bool,
}

pub fn to(state: u16) -> TargetRecord {
    TargetRecord {
        index: state.into(),
        kind: TargetKind::State.into(),
        reserved: 0,
    }
}

pub fn to_choice(state: u16) -> TargetRecord {
    TargetRecord {
        index: state.into(),
        kind: TargetKind::Choice.into(),
        reserved: 0,
    }
}

pub fn to_history(point: u16) -> TargetRecord {
    TargetRecord {
        index: point.into(),
        kind: TargetKind::History.into(),
        reserved: 0,
    }
}

const NOTHING: U16 = U16::new(NONE);

impl Machine {
    /// A machine with a root.
    pub fn new(tier: Tier) -> Self {
        let mut tables = Tables::default();
        let capacity = tier.capacity();
        tables.header = Header {
            head: FORMAT.head([0x1122_3344_5566_7788, 0x99AA_BBCC_DDEE_FF00]),
            tier: tier.into(),
            tick_rate: 60.into(),
            events_per_tick: capacity.events_per_tick.into(),
            microsteps_per_tick: capacity.microsteps_per_tick.into(),
            clamp_limit: 5,
            command_bytes: 1024.into(),
            fail_safe: NOTHING,
            reload_entry: NOTHING,
            ..Header::new_zeroed()
        };
        let mut machine = Self {
            tables,
            places: Vec::new(),
            arrows: Vec::new(),
            initials: Vec::new(),
            effects: Vec::new(),
            dense: true,
        };
        machine.push_state(NONE, 0, StateKind::Compound);
        machine
    }

    fn push_state(&mut self, parent: u16, place: usize, kind: StateKind) -> u16 {
        self.tables.states.push(StateRecord {
            parent: parent.into(),
            region: NOTHING,
            first_region: NOTHING,
            kind: kind.into(),
            entry: NOTHING,
            exit: NOTHING,
            activity: NOTHING,
            extra: NOTHING,
            row: NOTHING,
            ..StateRecord::new_zeroed()
        });
        self.places.push(place);
        (self.tables.states.len() - 1) as u16
    }

    /// Adds a state in pre-order. Its parent becomes compound or orthogonal by itself.
    pub fn state(&mut self, parent: u16, place: usize, kind: StateKind) -> u16 {
        let around = &mut self.tables.states[usize::from(parent)];
        if place > 0 {
            around.kind = StateKind::Orthogonal.into();
        } else if around.kind == StateKind::Atomic {
            around.kind = StateKind::Compound.into();
        }
        self.push_state(parent, place, kind)
    }

    pub fn atomic(&mut self, parent: u16, place: usize) -> u16 {
        self.state(parent, place, StateKind::Atomic)
    }

    /// Adds an arrow. Sources must ascend.
    pub fn arrow(
        &mut self,
        source: u16,
        trigger: u16,
        targets: &[TargetRecord],
        flags: u16,
    ) -> u16 {
        assert!(self.arrows.last().is_none_or(|last| last.source <= source));
        self.arrows.push(Arrow {
            source,
            trigger,
            targets: targets.to_vec(),
            flags,
        });
        (self.arrows.len() - 1) as u16
    }

    pub fn event(&mut self) -> u16 {
        self.tables.events.push(EventRecord {
            class: EventClass::Normal.into(),
            payload: PayloadKind::Empty.into(),
            ..EventRecord::new_zeroed()
        });
        (self.tables.events.len() - 1) as u16
    }

    pub fn target_set(&mut self, targets: &[TargetRecord]) -> u16 {
        let first = self.tables.targets.len() as u32;
        self.tables.targets.extend_from_slice(targets);
        let count = (targets.len() as u16).into();
        self.tables.target_sets.push(TargetSet {
            first: first.into(),
            count,
            reserved: 0.into(),
        });
        (self.tables.target_sets.len() - 1) as u16
    }

    /// The extra record of a state, made on first use.
    pub fn extra(&mut self, state: u16) -> &mut StateExtra {
        let place = match self.tables.states[usize::from(state)].extra.get() {
            NONE => {
                self.tables.state_extras.push(StateExtra {
                    state: state.into(),
                    suspend: NOTHING,
                    resume: NOTHING,
                    update: NOTHING,
                    exit_ready: NOTHING,
                    clock: 0xFF,
                    result_slot: 0xFF,
                    latch_slot: 0xFF,
                    scratch_slot: 0xFF,
                    done_event: NOTHING,
                    ..StateExtra::new_zeroed()
                });
                let place = (self.tables.state_extras.len() - 1) as u16;
                self.tables.states[usize::from(state)].extra = place.into();
                place
            }
            place => place,
        };
        &mut self.tables.state_extras[usize::from(place)]
    }

    /// The extra record of a transition, made on first use. Only after [`Machine::derive`].
    pub fn transition_extra(&mut self, transition: u16) -> &mut TransitionExtra {
        let place = match self.tables.transitions[usize::from(transition)].extra.get() {
            NONE => {
                self.tables.transition_extras.push(TransitionExtra {
                    transition: transition.into(),
                    score: NOTHING,
                    cooldown_slot: 0xFF,
                    debounce_timer: 0xFF,
                    stack: 0xFF,
                    threshold_code: NOTHING,
                    ..TransitionExtra::new_zeroed()
                });
                let place = (self.tables.transition_extras.len() - 1) as u16;
                self.tables.transitions[usize::from(transition)].extra = place.into();
                place
            }
            place => place,
        };
        &mut self.tables.transition_extras[usize::from(place)]
    }

    fn around(&self, state: u16) -> u16 {
        self.tables.states[usize::from(state)].parent.get()
    }

    fn holds(&self, outer: u16, inner: u16) -> bool {
        outer <= inner && inner < self.tables.states[usize::from(outer)].subtree_end.get()
    }

    fn anchor(&self, target: &TargetRecord) -> u16 {
        match target.kind.get() {
            TargetKind::History => self.tables.history[usize::from(target.index.get())]
                .owner
                .get(),
            _ => target.index.get(),
        }
    }

    /// Tree, transitions and plans. Histories and branches must be there; timers, flags and extras
    /// may follow.
    pub fn derive(&mut self) {
        self.derive_tree();
        self.derive_regions();
        self.derive_leaves();
        self.derive_initials();
        self.derive_transitions();
    }

    fn derive_tree(&mut self) {
        let count = self.tables.states.len();
        for i in 0..count {
            let parent = self.around(i as u16);
            let depth = if parent == NONE {
                1
            } else {
                self.tables.states[usize::from(parent)].depth + 1
            };
            self.tables.states[i].depth = depth;
            self.tables.states[i].subtree_end = ((i + 1) as u16).into();
            self.tables.header.max_depth = self.tables.header.max_depth.max(depth);
        }
        for i in (1..count).rev() {
            let (parent, end) = (
                self.tables.states[i].parent,
                self.tables.states[i].subtree_end,
            );
            let around = &mut self.tables.states[usize::from(parent.get())];
            around.subtree_end = around.subtree_end.get().max(end.get()).into();
        }
    }

    fn derive_regions(&mut self) {
        let count = self.tables.states.len();
        let mut children: Vec<Vec<u16>> = vec![Vec::new(); count];
        for i in 1..count {
            children[usize::from(self.around(i as u16))].push(i as u16);
        }
        for (owner, children) in children.iter().enumerate() {
            if children.is_empty() {
                continue;
            }
            let first = self.tables.regions.len() as u16;
            self.tables.states[owner].first_region = first.into();
            for &child in children {
                let place = self.places[usize::from(child)];
                if usize::from(first) + place == self.tables.regions.len() {
                    self.tables.regions.push(RegionRecord {
                        owner: (owner as u16).into(),
                        first_child: child.into(),
                        stack: 0xFF,
                        ..RegionRecord::new_zeroed()
                    });
                    self.tables.states[owner].region_count += 1;
                }
                self.tables.states[usize::from(child)].region = (first + place as u16).into();
            }
        }
    }

    /// Leaf numbers, one after the other inside an orthogonal state.
    fn derive_leaves(&mut self) {
        let count = self.tables.states.len();
        let mut widths = vec![1_u8; self.tables.regions.len()];
        for i in (1..count).rev() {
            let own = self.width(i, &widths);
            let region = usize::from(self.tables.states[i].region.get());
            widths[region] = widths[region].max(own);
        }
        for i in 0..count {
            let mut leaf = match self.tables.states[i].region.get() {
                NONE => 0,
                region => self.tables.regions[usize::from(region)].leaf,
            };
            self.tables.states[i].leaf = leaf;
            for region in self.regions_of(i) {
                self.tables.regions[region].leaf = leaf;
                leaf += widths[region];
            }
        }
    }

    fn regions_of(&self, state: usize) -> std::ops::Range<usize> {
        let state = &self.tables.states[state];
        let first = if state.region_count == 0 {
            0
        } else {
            usize::from(state.first_region.get())
        };
        first..first + usize::from(state.region_count)
    }

    fn width(&self, state: usize, widths: &[u8]) -> u8 {
        self.regions_of(state)
            .map(|region| widths[region])
            .sum::<u8>()
            .max(1)
    }

    fn derive_initials(&mut self) {
        for i in 0..self.tables.regions.len() {
            let owner = self.tables.regions[i].owner.get();
            let place = i - self.regions_of(usize::from(owner)).start;
            let given = self
                .initials
                .iter()
                .find(|given| given.0 == owner && given.1 == place);
            let targets = given.map_or(
                vec![to(self.tables.regions[i].first_child.get())],
                |given| given.2.clone(),
            );
            let targets = self.target_set(&targets).into();
            self.tables.regions[i].initial = (self.tables.initials.len() as u16).into();
            let effect = self
                .effects
                .iter()
                .find(|given| given.0 == owner && given.1 == place);
            let effect = effect.map_or(NONE, |given| given.2).into();
            self.tables.initials.push(InitialRecord { targets, effect });
        }
    }

    fn derive_transitions(&mut self) {
        for (i, arrow) in self.arrows.clone().into_iter().enumerate() {
            let source = &mut self.tables.states[usize::from(arrow.source)];
            if source.transition_count.get() == 0 {
                source.first_transition = (i as u16).into();
            }
            source.transition_count += 1;
            let domain = self.domain(&arrow);
            let mut flags = arrow.flags;
            if arrow
                .targets
                .iter()
                .any(|target| target.kind == TargetKind::History)
            {
                flags |= transition_flag::HISTORY;
            }
            if arrow
                .targets
                .iter()
                .any(|target| target.kind == TargetKind::Choice)
            {
                flags |= transition_flag::CHOICE;
            }
            let targets = if arrow.targets.is_empty() {
                NONE
            } else {
                self.target_set(&arrow.targets)
            };
            self.tables.transitions.push(TransitionRecord {
                source: arrow.source.into(),
                targets: targets.into(),
                trigger: arrow.trigger.into(),
                guard: NOTHING,
                effect: NOTHING,
                flags: flags.into(),
                domain: domain.into(),
                extra: NOTHING,
            });
            let stays = transition_flag::HISTORY | transition_flag::CHOICE;
            let planned = !arrow.targets.is_empty() && flags & stays == 0;
            let region = |state| self.region_below(domain, state);
            let crosses = arrow
                .targets
                .iter()
                .any(|t| region(self.anchor(t)) != region(arrow.source));
            let whole = crosses && flags & transition_flag::LOCAL == 0;
            let plan = if planned {
                self.plan(domain, &arrow.targets, whole)
            } else {
                NONE
            };
            let regions = self.left_regions(domain, &arrow, flags);
            self.tables.transition_plans.push(TransitionPlan {
                plan: plan.into(),
                cost: 8,
                regions,
                ..TransitionPlan::default()
            });
        }
    }

    /// Regions of the domain that are left: all when in doubt, which is always safe.
    fn left_regions(&self, domain: u16, arrow: &Arrow, flags: u16) -> u8 {
        if flags & transition_flag::INTERNAL != 0 {
            return 0;
        }
        let state = &self.tables.states[usize::from(domain)];
        let (first, count) = (state.first_region.get(), state.region_count);
        let all = ((1_u16 << count) - 1) as u8;
        let bit = |inner| {
            self.region_below(domain, inner)
                .map_or(all, |region| 1 << (region - first))
        };
        let targets = arrow
            .targets
            .iter()
            .fold(0, |mask, target| mask | bit(self.anchor(target)));
        let own = bit(arrow.source);
        match flags & transition_flag::LOCAL != 0 {
            true => targets,
            false if targets & !own == 0 => own,
            false => all,
        }
    }

    /// EXEC-2.
    fn domain(&self, arrow: &Arrow) -> u16 {
        if arrow.flags & (transition_flag::INTERNAL | transition_flag::LOCAL) != 0 {
            return arrow.source;
        }
        let mut domain = self.around(arrow.source);
        while domain != NONE {
            let inside = arrow.targets.iter().all(|target| {
                let anchor = self.anchor(target);
                self.holds(domain, anchor)
                    && (anchor != domain || target.kind == TargetKind::History)
            });
            let region = |state| self.region_below(domain, state);
            let together = self.tables.states[usize::from(domain)].region_count < 2
                || arrow
                    .targets
                    .iter()
                    .all(|t| region(self.anchor(t)) == region(arrow.source));
            if inside && together {
                return domain;
            }
            domain = self.around(domain);
        }
        0
    }

    fn region_below(&self, outer: u16, mut inner: u16) -> Option<u16> {
        while self.holds(outer, inner) && inner != outer {
            if self.around(inner) == outer {
                return Some(self.tables.states[usize::from(inner)].region.get());
            }
            inner = self.around(inner);
        }
        None
    }

    /// `whole`: all regions of the domain are left, not only those with targets.
    fn plan(&mut self, domain: u16, targets: &[TargetRecord], whole: bool) -> u16 {
        let targets: Vec<u16> = targets.iter().map(|target| target.index.get()).collect();
        let first = self.tables.entry_steps.len();
        for region in self.regions_of(usize::from(domain)) {
            let inside = |&t: &u16| self.region_below(domain, t) == Some(region as u16);
            let inside: Vec<u16> = targets.iter().copied().filter(inside).collect();
            if whole || !inside.is_empty() {
                self.enter_region(region, &inside);
            }
        }
        let count = self.tables.entry_steps.len() - first;
        self.tables.entry_plans.push(EntryPlan {
            first: (first as u32).into(),
            count: (count as u16).into(),
            reserved: 0.into(),
        });
        (self.tables.entry_plans.len() - 1) as u16
    }

    /// Enters the child that holds the targets, or the initial one.
    fn enter_region(&mut self, region: usize, targets: &[u16]) {
        let record = self.tables.regions[region];
        let initial = self.tables.initials[usize::from(record.initial.get())];
        let mut targets = targets.to_vec();
        if targets.is_empty() {
            let set = self.tables.target_sets[usize::from(initial.targets.get())];
            let first = set.first.get() as usize;
            let run = &self.tables.targets[first..first + usize::from(set.count.get())];
            assert!(
                run.iter().all(|target| target.kind == TargetKind::State),
                "found at run time"
            );
            targets = run.iter().map(|target| target.index.get()).collect();
            if initial.effect.get() != NONE {
                self.step(
                    record.owner.get(),
                    initial.effect.get(),
                    PlanStepKind::Initial,
                    0xFF,
                );
            }
        }
        let mut child = targets[0];
        while self.around(child) != record.owner.get() {
            child = self.around(child);
        }
        let state = self.tables.states[usize::from(child)];
        let leaf = if state.region_count == 0 {
            state.leaf
        } else {
            0xFF
        };
        self.step(child, state.entry.get(), PlanStepKind::State, leaf);
        for region in self.regions_of(usize::from(child)) {
            let inside: Vec<u16> = targets
                .iter()
                .copied()
                .filter(|&t| self.region_below(child, t) == Some(region as u16))
                .collect();
            self.enter_region(region, &inside);
        }
    }

    fn step(&mut self, state: u16, list: u16, kind: PlanStepKind, leaf: u8) {
        let step = PlanStep {
            state: state.into(),
            list: list.into(),
            kind: kind.into(),
            leaf,
            reserved: 0.into(),
        };
        self.tables.entry_steps.push(step);
    }

    /// Rows, cells, candidates, stable ids; then the bytes.
    pub fn finish(&mut self) -> Tables {
        let events = self.tables.events.len() as u16;
        let firing = self
            .tables
            .timers
            .iter()
            .filter(|timer| timer.kind.get().fires())
            .count() as u16;
        self.tables.header.firing_timers = firing.into();
        self.tables.header.columns = (events + firing + 1).into();
        let mut known = Known::new();
        for i in 0..self.tables.states.len() {
            if matches!(
                self.tables.states[i].kind.get(),
                StateKind::Atomic | StateKind::Final
            ) {
                self.row(i as u16, &mut known);
            }
        }
        self.sort_lists();
        self.tables.derive_polls();
        if self.dense {
            self.tables.header.features |= feature::DENSE_ROWS;
        }
        let t = &self.tables;
        let ids = 1
            + t.states.len()
            + t.regions.len()
            + t.events.len()
            + t.timers.len()
            + t.transitions.len();
        let ids = (ids + t.history.len() + t.scratch.len()) as u64;
        self.tables.stable_ids = (0..ids)
            .map(|id| StableIdRecord {
                id: (id * 0x9E37_79B9).into(),
            })
            .collect();
        self.tables.clone()
    }

    /// Lists by their deepest source.
    fn sort_lists(&mut self) {
        let t = &mut self.tables;
        let source = |candidate: &Candidate| match candidate.kind.get() {
            CandidateKind::Transition => t.transitions[usize::from(candidate.index.get())]
                .source
                .get(),
            _ => candidate.index.get(),
        };
        let run = |list: &CandidateList| {
            let first = list.first.get() as usize;
            &t.candidates
                [first..first + usize::from(list.interrupts.get()) + usize::from(list.others.get())]
        };
        let deepest = |list: &CandidateList| run(list).iter().map(source).max();
        let mut order: Vec<usize> = (0..t.candidate_lists.len()).collect();
        order.sort_by_key(|&list| deepest(&t.candidate_lists[list]));
        let mut place = vec![0; order.len()];
        let (mut lists, mut candidates) = (Vec::new(), Vec::new());
        for (to, &from) in order.iter().enumerate() {
            place[from] = to as u32;
            let list = t.candidate_lists[from];
            lists.push(CandidateList {
                first: U32::new(candidates.len() as u32),
                ..list
            });
            candidates.extend_from_slice(run(&list));
        }
        (t.candidate_lists, t.candidates) = (lists, candidates);
        let cells = t.dense_cells.iter_mut().map(|cell| &mut cell.list);
        for list in cells
            .chain(t.sorted_cells.iter_mut().map(|cell| &mut cell.list))
            .filter(|l| l.get() != NO_LIST)
        {
            *list = place[list.get() as usize].into();
        }
    }

    fn row(&mut self, state: u16, known: &mut Known) {
        let row = self.tables.leaf_rows.len() as u16;
        self.tables.states[usize::from(state)].row = row.into();
        let first_cell = if self.dense {
            self.tables.dense_cells.len()
        } else {
            self.tables.sorted_cells.len()
        };
        let mut cells = 0_u32;
        for column in 0..self.tables.header.columns.get() {
            let (interrupts, others) = self.reactions(state, column);
            let list = self.candidate_list(interrupts, others, known);
            if self.dense {
                self.tables
                    .dense_cells
                    .push(DenseCell { list: list.into() });
                cells += 1;
            } else if list != NO_LIST {
                self.tables.sorted_cells.push(SortedCell {
                    column: column.into(),
                    reserved: 0.into(),
                    list: list.into(),
                });
                cells += 1;
            }
        }
        self.tables.leaf_rows.push(LeafRow {
            state: state.into(),
            flags: 0.into(),
            first_cell: (first_cell as u32).into(),
            cell_count: cells.into(),
            reserved: 0.into(),
        });
    }

    fn reactions(&self, leaf: u16, column: u16) -> (Run, Run) {
        let (mut interrupts, mut others) = (Vec::new(), Vec::new());
        let mut at = leaf;
        while at != NONE {
            let state = &self.tables.states[usize::from(at)];
            let first = usize::from(state.first_transition.get());
            let run = first..first + usize::from(state.transition_count.get());
            let mut own = Vec::new();
            for id in run {
                let transition = &self.tables.transitions[id];
                if !self.reacts(transition.trigger.get(), column) {
                    continue;
                }
                let candidate = (id as u16, CandidateKind::Transition);
                if transition.flags.get() & transition_flag::INTERRUPT != 0 {
                    own.push(candidate);
                } else {
                    others.push(candidate);
                }
            }
            own.extend(interrupts);
            interrupts = own;
            let defers = |deferral: &&DeferralRecord| {
                deferral.state.get() == at && deferral.event.get() == column
            };
            if self.tables.deferrals.iter().find(defers).is_some() {
                others.push((at, CandidateKind::Deferral));
            }
            at = state.parent.get();
        }
        (interrupts, others)
    }

    fn reacts(&self, trigger: u16, column: u16) -> bool {
        let eventless = self.tables.header.columns.get() - 1;
        match SpecialTrigger::from_number(trigger) {
            Some(SpecialTrigger::Any) => usize::from(column) < self.tables.events.len(),
            Some(SpecialTrigger::Always | SpecialTrigger::Done | SpecialTrigger::Failed) => {
                column == eventless
            }
            None => column == trigger,
        }
    }

    fn candidate_list(&mut self, interrupts: Run, others: Run, known: &mut Known) -> u32 {
        let all = [&interrupts[..], &others[..]].concat();
        if all.is_empty() {
            return NO_LIST;
        }
        *known.entry(all).or_insert_with_key(|all| {
            let first = self.tables.candidates.len() as u32;
            let record = |&(index, kind): &(u16, CandidateKind)| Candidate {
                index: U16::new(index),
                kind: kind.into(),
                reserved: 0,
            };
            self.tables.candidates.extend(all.iter().map(record));
            self.tables.candidate_lists.push(CandidateList {
                first: U32::new(first),
                interrupts: (interrupts.len() as u16).into(),
                others: (others.len() as u16).into(),
            });
            (self.tables.candidate_lists.len() - 1) as u32
        })
    }
}
