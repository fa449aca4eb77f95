//! Why an instance was quarantined.

statewright_rom::numbers! {
    /// Why an instance was quarantined (TICK-3, RAM-6, EVT-10, SYS-10). Traces hold its number.
    Fault: u8 {
        /// A callback panicked (TICK-3); for hosts that catch it and report.
        Panic = 0 "a callback panicked",
        /// The machine id is not that of the ROM (RAM-6).
        WrongMachine = 1 "the instance belongs to another machine",
        /// The leaves are no configuration of the machine (SYS-10).
        BadConfiguration = 2 "the active leaves are no configuration of this machine",
        /// The frames of a stack are no configuration of their region (SYS-10).
        BadFrames = 3 "the suspended states are no configuration of their region",
        /// A queued event does not exist, or there are more than places (SYS-10).
        BadQueue = 4 "the event queue holds what this machine cannot have queued",
        /// The tables lead where nothing is: a ROM that loads but was not made by the compiler.
        BadPlan = 5 "the tables of the ROM contradict each other",
        /// One microstep has more entries and effects on the way than the kernel holds: hundreds of
        /// choices in one entry.
        TooManySteps = 6 "one transition takes more steps than the kernel holds",
        /// The queue is full, and the machine must not lose events (EVT-10), or the host does not
        /// want it to (EVT-3).
        QueueOverflow = 7 "the event queue overflowed where no event may be lost",
        /// More timers of one name than declared, and the machine must not lose any (EVT-10).
        TimerOverflow = 8 "too many timers of one name in a machine that must not lose any",
        /// The microstep cap, where it ends the machine (EVT-10).
        MicrostepCap = 9 "the microstep cap was reached in a machine that must run to completion",
        /// Something happened that the loader and the check have ruled out: a mistake of the kernel,
        /// or memory that changed. Debug builds panic where it happens.
        Impossible = 10 "something happened that was ruled out: please report it",
    }
}
