//! What can change of each kind of thing. Every field of a description stands here once, or in the
//! list of those that do not count; a new field is a compile error until it does.

use serde::Serialize;
use serde_json::Value as Json;

use crate::layout::TimerPlace;
use crate::model::*;
use crate::state::*;

/// Something whose fields can be compared. Fields are equal if they read the same: numbers of two
/// machines cannot be compared.
pub(super) trait Fields {
    /// Its fields.
    type Field: Copy;

    /// Fields in which two differ.
    fn differences(&self, other: &Self) -> Vec<Self::Field>;

    /// What a field holds, as JSON.
    fn field(&self, field: Self::Field) -> Json;

    /// The key of a field in the JSON.
    fn key(field: Self::Field) -> &'static str;
}

fn json(value: &impl Serialize) -> Json {
    serde_json::to_value(value).unwrap_or_default()
}

macro_rules! fields {
    ($($type:ident $name:ident $what:literal { $($field:ident $variant:ident $key:literal,)* } without { $($skipped:ident)* })+) => {$(
        #[doc = concat!("What can change of ", $what, ".")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = concat!("`", $key, "`")] $variant,)*
        }

        impl Fields for $type {
            type Field = $name;

            fn differences(&self, other: &Self) -> Vec<$name> {
                let Self { $($field: _,)* $($skipped: _,)* } = self;
                let mut different = Vec::new();
                $(if json(&self.$field) != json(&other.$field) {
                    different.push($name::$variant);
                })*
                different
            }

            fn field(&self, field: $name) -> Json {
                match field { $($name::$variant => json(&self.$field),)* }
            }

            fn key(field: $name) -> &'static str {
                match field { $($name::$variant => $key,)* }
            }
        }
    )+};
}

fields! {
    Model MachineField "a machine" {
        machine Name "machine",
        tier Tier "tier",
        tick_rate TickRate "tick_rate",
        fail_safe FailSafe "fail_safe",
        reload_entry ReloadEntry "reload_entry",
    } without {
        policies budgets events blackboard parameters variants channels lanes timers observers functions states
    }
    Policies PolicyField "the policies" {
        reverse_exit_order ReverseExitOrder "reverse_exit_order",
        immediate_update ImmediateUpdate "immediate_update",
        posted_next_tick PostedNextTick "posted_next_tick",
        internal_first InternalFirst "internal_first",
        done_events DoneEvents "done_events",
        strict_writes StrictWrites "strict_writes",
        scxml_details ScxmlDetails "scxml_details",
        reload_resets ReloadResets "reload_resets",
    } without {}
    Budgets BudgetField "the budgets" {
        events_per_tick EventsPerTick "events_per_tick",
        microsteps_per_tick MicrostepsPerTick "microsteps_per_tick",
        clamp_limit ClampLimit "clamp_limit",
        command_bytes CommandBytes "command_bytes",
    } without {}
    Event EventField "an event" {
        name Name "name",
        class Class "class",
        payload Payload "payload",
        payload_bytes PayloadBytes "payload_bytes",
        coalesce Coalesce "coalesce",
        ttl Ttl "ttl",
        indirect Indirect "indirect",
        ephemeral Ephemeral "ephemeral",
    } without { id }
    Key KeyField "a blackboard key" {
        name Name "name",
        ty Type "type",
        default Default "default",
    } without {}
    Parameter ParameterField "a parameter" {
        name Name "name",
        ty Type "type",
        value Value "value",
    } without {}
    Variant VariantField "a variant" {
        name Name "name",
        values Values "values",
    } without {}
    Channel ChannelField "a channel" {
        name Name "name",
        release Release "release",
        lane Lane "lane",
    } without {}
    Lane LaneField "a lane" {
        name Name "name",
        merge Merge "merge",
        critical Critical "critical",
        key Key "key",
        scope Scope "scope",
        cap Cap "cap",
    } without { id }
    MachineTimer MachineTimerField "a timer of the machine" {
        name Name "name",
        instances Instances "instances",
        class Class "class",
        event Event "event",
    } without { id }
    Observer ObserverField "an observer" {
        event Event "event",
        actions Actions "do",
    } without {}
    Function FunctionField "a function" {
        name Name "name",
        kind Kind "kind",
        returns Returns "returns",
        rng Rng "rng",
    } without { id }
    State StateField "a state" {
        path Path "path",
        kind Kind "kind",
        history History "history",
        history_reset_on_done HistoryResetOnDone "history_reset_on_done",
        entry Entry "entry",
        exit Exit "exit",
        suspend Suspend "suspend",
        resume Resume "resume",
        update Update "update",
        activity Activity "activity",
        defer Defer "defer",
        owns Owns "owns",
        timers Timers "timers",
        scratch Scratch "scratch",
        exit_ready ExitReady "exit_ready",
        min_active MinActive "min_active",
        clock Clock "clock",
        branches Branches "branches",
    } without { id regions transitions }
    // Children that come and go are changes of their own.
    Region RegionField "a region" {
        name Name "name",
        initial Initial "initial",
        stack Stack "stack",
    } without { id children }
    TimerPlace TimerField "a timer" {
        kind Kind "kind",
        name Name "name",
        length Ticks "ticks",
        count Count "count",
    } without { owner transition place }
    History HistoryField "a history point" {
        name Name "name",
        deep Deep "deep",
        default Default "default",
        actions Actions "do",
        restore_on_entry RestoreOnEntry "restore_on_entry",
    } without { id }
    Scratch ScratchField "scratch" {
        name Name "name",
        slots Slots "slots",
        ty Type "type",
    } without { id }
    Transition TransitionField "a transition" {
        name Name "name",
        trigger Trigger "trigger",
        guard Guard "if",
        to To "to",
        actions Actions "do",
        kind Kind "kind",
        stack Stack "stack",
        priority Priority "priority",
        interrupt Interrupt "interrupt",
        score Score "score",
        threshold Threshold "threshold",
        stay Stay "stay",
        cooldown Cooldown "cooldown",
        debounce Debounce "debounce",
        latch Latch "latch",
        listed Listed "listed",
    } without { id }
}
