//! Writes a compiled machine as Rust ("fused"): the same plans that the kernel follows in the ROM,
//! printed as code with every number in its place.
//!
//! Comes in: a loaded ROM and its names. Goes out: tokens of functions that use nothing but
//! `statewright_kernel::fused`. What is not worth code is left to the tables, so that the size stays
//! bounded: one function per leaf and region, each candidate, action and activity of it once.
//!
//! - `poll` a tick of an agent that only polls, leaf by leaf
//! - `ask` one eventless candidate, `run` update actions and activities
//! - `react` what an event or a timer leads to, `held` what has to wait, `take` transitions: exits, effect,
//!   entries, `found` those whose way is found when they are taken
//! - `expression` bytecode as a Rust expression
//! - `call` where calls of user code stand, `plain` where the bytes of an agent are enough
//!
//! ```text
//!   fn poll(…)  match first leaf
//!     patrol ─▶ alone? ── ask ── run
//!     hold   ─▶ chain_4 ── ask, ask_4 ── run, run_4        region 4 holds the next leaf
//! ```
//!
//! Numbers are those of one ROM: whoever runs the code has to see to it that the agent's machine is
//! that one. Parameters are read, never folded.
#![forbid(unsafe_code)]

mod ask;
mod call;
mod expression;
mod found;
mod held;
mod plain;
mod poll;
mod react;
mod run;
mod take;

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use statewright_rom::Rom;
use statewright_rom::ids::StateId;
use statewright_rom::layout::{Tier, TimerKind, TimerRecord};
use statewright_symbols::SymbolTable;

/// The machine as a module's worth of functions; the one to call is `fused`, generic over linkage and
/// host. `border` is the path of `statewright_kernel::fused`. `None` if nothing of it is worth code.
pub fn fuse(rom: &Rom<'_>, symbols: &SymbolTable, border: &TokenStream) -> Option<TokenStream> {
    if rom.polls().is_empty() {
        return None;
    }
    let machine = Fused {
        rom,
        symbols,
        instance: instance(rom.tier()),
    };
    let instance = &machine.instance;
    let (polls, found) = (machine.poll(), machine.takes_found());
    let (reactions, configurations) = (machine.reactions(), machine.configurations());
    let hears = machine.hears();
    let takes = called(&[&found, &reactions], machine.takes());
    let takes = inlined_where_called_once(&[&found, &reactions], takes);
    let timers = machine.timers();
    let (polled, calls) = (plain::called_in(&polls), mentions(&polls, "never_bare"));
    let written = [&polls, &found, &reactions, &takes];
    let [variant, payload] =
        ["parameter", "payload"].map(|name| written.iter().any(|code| mentions(code, name)));
    Some(plain::resolved(quote! {
        #[allow(unused_imports)]
        use #border::{
            #instance, AnyBare, AnyCalling, Asked, CallSite, Event, Fuse, Halt, Heard, Host, Leaving, Linkage, Mode, Phase,
            Needs, Quiet, Scored, Status, Step, Taking, Work, arith, best
        };

        /// A part of a tick.
        #[inline(always)]
        pub fn fused<L: Linkage<H>, H: Host>(
            mut fuse: Fuse<'_, '_>, host: &mut H, phase: Phase<'_>
        ) -> Step {
            match phase {
                Phase::Poll { has_events } => {
                    let quiet = match has_events {
                        true => settle::<L, H, _>(fuse.again(), host),
                        false => poll::<L, H, _>(fuse.again(), host),
                    };
                    fuse.polled(quiet)
                }
                Phase::Check => match is_configuration(&fuse) {
                    true => Step::Done,
                    false => Step::Tables,
                },
                Phase::Take(halt) => take::<L, H, _>(fuse.again(), host, halt),
                Phase::Event(happened) | Phase::OneEvent(happened) => {
                    Step::Took(event_attached::<L, H>(fuse.again(), host, happened))
                }
                Phase::Timer(due) => Step::Took(timer::<L, H, _>(fuse.again(), host, due)),
                Phase::Ask => {
                    let quiet = ask::<L, H, _>(fuse.again(), host);
                    fuse.polled(quiet)
                }
                Phase::Run => {
                    run::<L, H, _>(fuse.again(), host);
                    Step::Done
                }
                Phase::RunAll => {
                    let quiet = run_all::<L, H, _>(fuse.again(), host);
                    fuse.polled(quiet)
                }
            }
        }

        /// A part of a tick on nothing but bytes.
        #[inline(always)]
        pub fn bare<L: Linkage<H>, H: Host>(
            bytes: AnyBare<'_, '_>, host: &mut H, phase: Phase<'_>
        ) -> Step {
            let Some(mut fuse) = bytes.of::<#instance>() else {
                return Step::Tables;
            };
            match phase {
                Phase::Poll { has_events: false } => {
                    let quiet = poll_alone::<L, H, _>(fuse.again(), host);
                    fuse.polled(quiet)
                }
                Phase::Event(happened) => {
                    let alone = fuse.is_whole(1);
                    let nobody = alone && hears(fuse.leaf::<0>(), happened.id.get()) == Heard::ByNobody;
                    Step::Took(match nobody {
                        true => Taking::Nobody,
                        false => event::<L, H, _>(fuse.again(), host, happened),
                    })
                }
                Phase::OneEvent(happened) => {
                    Step::Took(event::<L, H, _>(fuse.again(), host, happened))
                }
                Phase::Timer(due) => Step::Took(timer::<L, H, _>(fuse.again(), host, due)),
                _ => Step::Tables,
            }
        }

        /// A part of a tick of an agent that polls, without queued events, and is attached where that is needed.
        #[inline(always)]
        pub fn calling<L: Linkage<H>, H: Host>(
            agent: AnyCalling<'_, '_>, host: &mut H, phase: Phase<'_>
        ) -> Step {
            let Some(mut fuse) = agent.of::<#instance>() else {
                return Step::Tables;
            };
            let quiet = match phase {
                Phase::Poll { has_events: true } => settle::<L, H, _>(fuse.again(), host),
                Phase::Ask => ask::<L, H, _>(fuse.again(), host),
                Phase::RunAll => run_all::<L, H, _>(fuse.again(), host),
                Phase::Event(happened) => {
                    return Step::Took(event::<L, H, _>(fuse.again(), host, happened));
                }
                Phase::Timer(due) => return Step::Took(timer::<L, H, _>(fuse.again(), host, due)),
                Phase::Poll { has_events: false }
                | Phase::Check
                | Phase::Take(_)
                | Phase::OneEvent(_)
                | Phase::Run => return Step::Tables,
            };
            fuse.polled(quiet)
        }

        /// All of a tick of such an agent, if it only polls.
        #[inline(always)]
        pub fn polls<L: Linkage<H>, H: Host>(agent: AnyCalling<'_, '_>, host: &mut H) -> Quiet {
            match agent.of::<#instance>() {
                Some(fuse) => poll_alone::<L, H, _>(fuse, host),
                None => Quiet::Slow,
            }
        }

        /// What the code asks of an agent besides its bytes.
        pub const NEEDS: Needs = Needs { variant: #variant, payload: #payload, calls: #calls };

        /// Functions that polling may call.
        #[allow(dead_code)]
        pub const POLLED: &[u16] = &[#(#polled),*];

        /// Timer places that the machine uses, a bit each.
        pub const TIMERS: u8 = #timers;
        #polls
        #configurations
        #hears
        #found
        #reactions
        #takes
    }))
}

/// Does a name stand in some code?
fn mentions(code: &TokenStream, name: &str) -> bool {
    code.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Ident(word) => word == name,
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Those functions that some code calls, directly or through others.
fn called(callers: &[&TokenStream], functions: Vec<(Ident, TokenStream)>) -> TokenStream {
    let mut others: BTreeMap<String, TokenStream> = functions
        .into_iter()
        .map(|(name, code)| (name.to_string(), code))
        .collect();
    let mut called = TokenStream::new();
    let mut open: Vec<TokenStream> = callers.iter().map(|&code| code.clone()).collect();
    // Bound: each function is taken once.
    while let Some(code) = open.pop() {
        for token in code {
            match token {
                TokenTree::Group(group) => open.push(group.stream()),
                TokenTree::Ident(name) => {
                    if let Some(code) = others.remove(&name.to_string()) {
                        called.extend(code.clone());
                        open.push(code);
                    }
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    called
}

/// The same with those inlined that are called at one place only: the code gets no larger, and needs no
/// frame for them.
fn inlined_where_called_once(callers: &[&TokenStream], functions: TokenStream) -> TokenStream {
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    let mut open: Vec<TokenStream> = callers.iter().map(|&code| code.clone()).collect();
    open.push(functions.clone());
    // Bound: the tokens.
    while let Some(code) = open.pop() {
        let mut tokens = code.into_iter();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => open.push(group.stream()),
                // A mark is no call: sign and name are passed over.
                TokenTree::Ident(name) if name == "plain_or_leave" => {
                    tokens.nth(1);
                }
                TokenTree::Ident(name) => *calls.entry(name.to_string()).or_default() += 1,
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    let mut code = TokenStream::new();
    let mut tokens = functions.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if let (TokenTree::Ident(word), Some(TokenTree::Ident(name))) = (&token, tokens.peek())
            && word == "fn"
        {
            // Its definition counts, too.
            let once = calls.get(&name.to_string()) == Some(&2);
            code.extend(match once {
                true => quote!(#[inline(always)]),
                false => quote!(#[inline]),
            });
        }
        code.extend([token]);
    }
    code
}

/// The machine that is written.
struct Fused<'m> {
    rom: &'m Rom<'m>,
    symbols: &'m SymbolTable,
    /// The type of its instances.
    instance: TokenStream,
}

impl Fused<'_> {
    /// Timer places that can ever run, a bit each.
    fn timers(&self) -> u8 {
        let runs = |timer: &&TimerRecord| timer.kind != TimerKind::Clock;
        let timers = self.rom.timers().iter().filter(runs);
        timers.fold(0, |places, timer| {
            places | 1_u8.checked_shl(timer.place.into()).unwrap_or(0)
        })
    }

    /// A state as its path, for comments in the code.
    fn path(&self, state: StateId) -> String {
        let known = self.symbols.of(state);
        known.map_or_else(|| format!("state {state}"), |name| format!("`{name}`"))
    }

    /// A function for a leaf: the last part of its path makes it readable, its number unique.
    fn leaf_function(&self, what: &str, leaf: StateId) -> Ident {
        let path = self.symbols.of(leaf).unwrap_or_default();
        let last = path.rsplit('/').next().unwrap_or_default();
        let readable: String = last
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
            .flat_map(char::to_lowercase)
            .collect();
        format_ident!("{what}_{leaf}_{readable}")
    }
}

/// The type of instances of a tier, as the border to the kernel names it.
pub fn instance(tier: Tier) -> TokenStream {
    match tier {
        Tier::Crowd => quote!(Instance64),
        Tier::Standard => quote!(Instance128),
        Tier::Hero => quote!(Instance256),
    }
}
