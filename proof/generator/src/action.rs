//! Actions and calls (CODE-3, CODE-4).

use statewright_author::expr::{CallArgument, Expr, ExprKind, parse};
use statewright_author::graph::{Action, ActionKind, Argument, ArgumentValue, Function, Payload};
use statewright_author::span::{Name, Span};
use statewright_author::value::{FunctionKind, ScratchType, ValueType};

use crate::code::{Site, literal};
use crate::declare::{FUNCTIONS, VALUES};
use crate::generator::Generator;
use crate::plan::Target;
use crate::text::{code, name, spanned};

impl Generator {
    /// Maybe some actions.
    pub(crate) fn actions(&mut self, site: &Site) -> Vec<Action> {
        if self.rng.chance(50) {
            self.some_actions(site)
        } else {
            Vec::new()
        }
    }

    /// At least one action that is not muted.
    pub(crate) fn some_actions(&mut self, site: &Site) -> Vec<Action> {
        let count = self.rng.between(1, self.size.actions.max(1));
        let mut actions: Vec<Action> = (0..count).map(|_| self.action(site)).collect();
        if self.rng.chance(self.size.rare / 4) {
            let at = self.rng.below(actions.len() as u32 + 1) as usize;
            actions.insert(
                at,
                Action {
                    kind: self.muted_kind(),
                    muted: true,
                    span: Span::default(),
                },
            );
        }
        actions
    }

    /// What is left out need not mean anything.
    fn muted_kind(&mut self) -> ActionKind {
        let (nobody, nothing) = (
            name("nobody declares this"),
            code("this is not an expression"),
        );
        let key = name("no_such_key");
        match self.rng.below(10) {
            9 => ActionKind::If {
                condition: nothing,
                then: Vec::new(),
                otherwise: Vec::new(),
            },
            0 => ActionKind::Call {
                function: name("nothing"),
                arguments: Vec::new(),
            },
            1 => ActionKind::Set {
                key,
                value: nothing,
            },
            2 => ActionKind::Add {
                key,
                value: nothing,
            },
            3 => ActionKind::Raise {
                event: nobody,
                payload: Some(nothing),
            },
            4 => ActionKind::Send {
                event: nobody,
                payload: None,
                to: Some(nothing),
            },
            5 => ActionKind::Emit {
                command: nobody.clone(),
                lane: nobody,
                payload: Some(nothing),
            },
            6 => ActionKind::StartTimer {
                timer: nobody,
                after: spanned(self.duration().into()),
            },
            7 => ActionKind::StopTimer { timer: nobody },
            _ => ActionKind::ClearHistory { state: nobody },
        }
    }

    fn action(&mut self, site: &Site) -> Action {
        let kind = match self.rng.weighted(&[30, 20, 12, 12, 12, 8, 6, 8]) {
            1 => self.write(site),
            2 => self.raise(site),
            3 => self.send(site),
            4 => Some(self.emit(site)),
            5 => self.timer_action(site),
            6 => self.clear_history(site),
            7 => self.conditional(site),
            _ => None,
        };
        let kind = kind.unwrap_or_else(|| self.call_action(site));
        Action {
            kind,
            muted: false,
            span: Span::default(),
        }
    }

    /// One of two lists, which rarely hold conditions themselves.
    fn conditional(&mut self, site: &Site) -> Option<ActionKind> {
        let condition = self.value(ValueType::Bool, site)?;
        let then = if self.rng.chance(90) {
            vec![self.action(site)]
        } else {
            Vec::new()
        };
        let otherwise = if self.rng.chance(50) {
            self.some_actions(site)
        } else {
            Vec::new()
        };
        Some(ActionKind::If {
            condition,
            then,
            otherwise,
        })
    }

    fn call_action(&mut self, site: &Site) -> ActionKind {
        let depth = self.size.expression;
        let (function, arguments) = self.called(FunctionKind::Action, None, site, depth);
        let all_or_none = arguments.iter().all(|a| a.name.is_some())
            || arguments.iter().all(|a| a.name.is_none());
        if all_or_none && self.rng.chance(50) {
            return ActionKind::Call {
                function: name(function),
                arguments,
            };
        }
        let bare = arguments.is_empty() && self.rng.chance(70);
        ActionKind::Text(code(if bare {
            function
        } else {
            as_expr(function, arguments).to_string()
        }))
    }

    /// A call as an expression: a guard, a scorer, an activity.
    pub(crate) fn function_call(&mut self, kind: FunctionKind, site: &Site, depth: u32) -> Expr {
        self.any_call(kind, None, site, depth)
    }

    /// A call of a value function of a type, if there is one (LANG-11).
    pub(crate) fn value_call(&mut self, ty: ValueType, site: &Site, depth: u32) -> Option<Expr> {
        let gives = |function: &Function| function.returns.as_ref().map(|ty| ty.value) == Some(ty);
        let known = self.declared.functions.iter().any(gives);
        known.then(|| self.any_call(FunctionKind::Value, Some(ty), site, depth))
    }

    fn any_call(
        &mut self,
        kind: FunctionKind,
        gives: Option<ValueType>,
        site: &Site,
        depth: u32,
    ) -> Expr {
        let (function, arguments) = self.called(kind, gives, site, depth);
        if arguments.is_empty() && self.rng.chance(70) {
            return Expr {
                kind: ExprKind::Name(function),
                range: 0..0,
            };
        }
        as_expr(function, arguments)
    }

    /// A function of a kind, or a value function of a type, and what it is called with.
    fn called(
        &mut self,
        kind: FunctionKind,
        gives: Option<ValueType>,
        site: &Site,
        depth: u32,
    ) -> (String, Vec<Argument>) {
        let plain = FUNCTIONS.iter().filter(|(_, of)| *of == kind);
        let values = VALUES.iter().filter(|(_, ty)| Some(*ty) == gives);
        let names: Vec<&str> = plain
            .map(|(name, _)| *name)
            .chain(values.map(|(name, _)| *name))
            .collect();
        let function = self.rng.one(&names);
        let declared = self
            .declared
            .functions
            .iter()
            .find(|declared| declared.name.value == function)
            .cloned();
        let arguments = match declared {
            Some(declared) => self.declared_arguments(&declared.parameters, site, depth),
            None => self.free_arguments(site, depth),
        };
        (function.to_owned(), arguments)
    }

    /// One argument per parameter: by position, or all by name in another order.
    fn declared_arguments(
        &mut self,
        parameters: &[(Name, statewright_author::span::Spanned<ValueType>)],
        site: &Site,
        depth: u32,
    ) -> Vec<Argument> {
        let by_name = self.rng.chance(40);
        let mut arguments = Vec::new();
        for (parameter, ty) in parameters {
            let value = self.argument(ty.value, site, depth);
            arguments.push(Argument {
                name: by_name.then(|| name(&*parameter.value)),
                value,
            });
        }
        if by_name && self.rng.chance(50) {
            arguments.reverse();
        }
        arguments
    }

    /// A literal, or something computed (LANG-4).
    fn argument(&mut self, ty: ValueType, site: &Site, depth: u32) -> ArgumentValue {
        let computed = if depth > 0 && self.rng.chance(50) {
            self.term(ty, site, depth - 1)
        } else {
            None
        };
        match computed {
            Some(expr) => ArgumentValue::Code(code(expr.to_string())),
            None => ArgumentValue::Literal(spanned(self.literal(ty))),
        }
    }

    fn free_arguments(&mut self, site: &Site, depth: u32) -> Vec<Argument> {
        let count = self.rng.one(&[0, 0, 1, 2]);
        let names = ["power", "label"];
        let by_name = self.rng.chance(40);
        let argument = |generator: &mut Self, index: usize| {
            let ty = generator.literal_type();
            let value = generator.argument(ty, site, depth);
            Argument {
                name: by_name.then(|| name(names[index])),
                value,
            }
        };
        (0..count).map(|index| argument(self, index)).collect()
    }

    fn write(&mut self, site: &Site) -> Option<ActionKind> {
        if !site.writes {
            return None;
        }
        if self.rng.chance(40)
            && let Some(action) = self.write_scratch(site)
        {
            return Some(action);
        }
        let key = self.rng.pick(&self.declared.keys)?.clone();
        let ty = key.ty.value;
        let value = self.value(ty, site)?;
        let key = key.name.value;
        let adds = matches!(
            ty,
            ValueType::I32 | ValueType::F32 | ValueType::Vec2 | ValueType::Vec3
        );
        Some(match self.rng.below(5) {
            0 if adds => ActionKind::Add {
                key: name(key),
                value,
            },
            1 if adds => ActionKind::Text(code(format!("{key} += {}", value.value))),
            // What is subtracted is negated, so it must not be negative or a sum: those would not
            // read the same again.
            2 if adds && value.value.bytes().all(|b| b.is_ascii_lowercase()) => {
                ActionKind::Text(code(format!("{key} -= {}", value.value)))
            }
            3 => ActionKind::Text(code(format!("{key} = {}", value.value))),
            _ => ActionKind::Set {
                key: name(key),
                value,
            },
        })
    }

    /// Writes scratch that the code sees (LANG-8).
    fn write_scratch(&mut self, site: &Site) -> Option<ActionKind> {
        let visible = self.visible_scratch(site.state);
        let (scratch, ty) = self.rng.pick(&visible)?.clone();
        let value = self.value(ty.value_type(), site)?;
        let adds = ty != ScratchType::Bool;
        Some(match self.rng.below(4) {
            0 if adds => ActionKind::Text(code(format!("{scratch} += {}", value.value))),
            1 if adds => ActionKind::Add {
                key: name(scratch),
                value,
            },
            2 => ActionKind::Text(code(format!("{scratch} = {}", value.value))),
            _ => ActionKind::Set {
                key: name(scratch),
                value,
            },
        })
    }

    /// Scratch with a type that a state sees, the nearest of a name; `None` sees none.
    pub(crate) fn visible_scratch(&self, state: Option<usize>) -> Vec<(String, ScratchType)> {
        let mut visible: Vec<(String, ScratchType)> = Vec::new();
        for at in state.into_iter().flat_map(|state| self.plan.up(state)) {
            for scratch in &self.plan.nodes[at].scratch {
                let name = &scratch.name.value;
                if let Some(ty) = &scratch.ty
                    && visible.iter().all(|(other, _)| other != name)
                {
                    visible.push((name.clone(), ty.value));
                }
            }
        }
        visible
    }

    fn raise(&mut self, site: &Site) -> Option<ActionKind> {
        let (event, payload) = self.post(site)?;
        Some(ActionKind::Raise { event, payload })
    }

    fn send(&mut self, site: &Site) -> Option<ActionKind> {
        let (event, payload) = self.post(site)?;
        let to = if self.rng.chance(50) {
            self.value(ValueType::Entity, site)
        } else {
            None
        };
        Some(ActionKind::Send { event, payload, to })
    }

    fn post(
        &mut self,
        site: &Site,
    ) -> Option<(Name, Option<statewright_author::graph::ExprSource>)> {
        let event = self.rng.pick(&self.declared.events)?.clone();
        let ty = match event.payload.as_ref().map(|payload| payload.value) {
            _ if event.indirect => Some(ValueType::I32),
            Some(Payload::Value(ty)) => Some(ty),
            Some(Payload::U32) => Some(ValueType::I32),
            _ => None,
        };
        let payload = if self.rng.chance(70) {
            ty.and_then(|ty| self.value(ty, site))
        } else {
            None
        };
        Some((event.name, payload))
    }

    fn emit(&mut self, site: &Site) -> ActionKind {
        let ty = self.rng.one(&ValueType::ALL);
        let payload = if self.rng.chance(60) {
            self.value(ty, site)
        } else {
            None
        };
        let command = self.rng.one(&["play", "move", "läuft", "stop it"]);
        ActionKind::Emit {
            command: name(command),
            lane: name(self.lane()),
            payload,
        }
    }

    /// Names of timers that a state sees; `None` sees those of the machine.
    pub(crate) fn visible_timers(&self, state: Option<usize>) -> Vec<String> {
        let around = state.into_iter().flat_map(|state| self.plan.up(state));
        let own = around.flat_map(|at| &self.plan.nodes[at].named_timers);
        own.chain(&self.declared.timers)
            .map(|timer| timer.name.value.clone())
            .collect()
    }

    /// Those that have a trigger of their own, wherever the name is used: one that fires as an
    /// event has none.
    pub(crate) fn trigger_timers(&self, state: Option<usize>) -> Vec<String> {
        let of_states = self.plan.nodes.iter().flat_map(|node| &node.named_timers);
        let as_events: Vec<&str> = of_states
            .chain(&self.declared.timers)
            .filter(|timer| timer.event.is_some())
            .map(|timer| timer.name.value.as_str())
            .collect();
        let mut timers = self.visible_timers(state);
        timers.retain(|timer| !as_events.contains(&timer.as_str()));
        timers
    }

    fn timer_action(&mut self, site: &Site) -> Option<ActionKind> {
        if !site.writes {
            return None;
        }
        let timer = name(self.rng.pick(&self.visible_timers(site.state))?.clone());
        Some(match self.rng.chance(70) {
            true => ActionKind::StartTimer {
                timer,
                after: spanned(self.delay(site)),
            },
            false => ActionKind::StopTimer { timer },
        })
    }

    /// Names the state with the history, or one of its points.
    fn clear_history(&mut self, site: &Site) -> Option<ActionKind> {
        if !site.writes || self.plan.points.is_empty() {
            return None;
        }
        let point = self.rng.below(self.plan.points.len() as u32) as usize;
        let target = if self.rng.chance(70) {
            Target::State(self.plan.points[point].owner)
        } else {
            Target::Point(point)
        };
        let text = self.plan.reference(&mut self.rng, site.state, target)?;
        Some(ActionKind::ClearHistory { state: name(text) })
    }
}

fn as_expr(function: String, arguments: Vec<Argument>) -> Expr {
    let argument = |argument: Argument| CallArgument {
        name: argument.name,
        value: match argument.value {
            ArgumentValue::Literal(value) => literal(&value.value),
            ArgumentValue::Code(code) => parse(&code.value).expect("generated expressions parse"),
        },
    };
    let arguments = arguments.into_iter().map(argument).collect();
    Expr {
        kind: ExprKind::Call {
            function: name(function),
            arguments,
        },
        range: 0..0,
    }
}
