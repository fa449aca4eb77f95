//! Inputs of a tape enter again, or what another run makes of them.

use statewright::{Board, Context, Envelope, Input, InputError, Saved};

use super::{InputFilter, Replay, ReplayError};
use crate::record::{AgentInput, TapeAgent, TapeInput};

/// Inputs.
impl<'t, B: Board + Saved, C: Context + ?Sized> Replay<'t, B, C> {
    /// From here on it is another run: nothing is compared, and inputs are what the filter makes of
    /// them. Those that are refused there are left out.
    pub(crate) fn fork(&mut self, filter: impl InputFilter + 't) {
        self.fork = Some(Box::new(filter));
        (self.shadow, self.vague, self.hashes) = (None, None, None);
    }

    /// Events that come next enter: most of a tape is these.
    pub(super) fn enter_sent(&mut self) -> Result<(), ReplayError> {
        while self.fork.is_none()
            && let Some((to, event)) = self.player.next_sent()
        {
            let number = self.crowd.number();
            let envelope = Envelope {
                to: to.in_crowd(number),
                event,
            };
            match self.crowd.apply_event(envelope) {
                Ok(()) => self.verified.inputs += 1,
                Err(error) => return self.refuse(&TapeInput::Send(to, event), error.into()),
            }
        }
        Ok(())
    }

    pub(super) fn enter_or_not(&mut self, input: TapeInput) -> Result<(), ReplayError> {
        let Some(filter) = &mut self.fork else {
            return self.enter(&input);
        };
        let place = self.verified.inputs;
        self.verified.inputs += 1;
        let input = filter(self.crowd.now(), place, input);
        if let Some(input) = input
            && let Ok(Some(input)) = self.make(&input)
        {
            // In another run its receiver may be gone.
            _ = self.crowd.apply(input);
        } else if let Some(sealed) = &mut self.sealed {
            sealed.keys = None;
        }
        Ok(())
    }

    fn enter(&mut self, recorded: &TapeInput) -> Result<(), ReplayError> {
        let entered = self.make(recorded).and_then(|input| match input {
            Some(input) => self.crowd.apply(input).map(drop).map_err(Refusal::Input),
            None => Ok(()),
        });
        match entered {
            Ok(()) => {
                self.verified.inputs += 1;
                Ok(())
            }
            Err(refusal) => self.refuse(recorded, refusal),
        }
    }

    #[cold]
    fn refuse(&mut self, recorded: &TapeInput, refusal: Refusal) -> Result<(), ReplayError> {
        // Where the crowd is another one already, that is the news.
        self.stop_if_vague()?;
        Err(ReplayError::Input {
            tick: self.crowd.now(),
            input: recorded.told(self.crowd.machine()),
            reason: match refusal {
                Refusal::Input(error) => error.to_string(),
                Refusal::Board => "its blackboard is none of this program's type".to_owned(),
            },
        })
    }

    /// The input of a record; nothing if it was a blackboard, which is written here.
    fn make(&mut self, input: &TapeInput) -> Result<Option<Input<B>>, Refusal> {
        let number = self.crowd.number();
        let id = |agent: TapeAgent| agent.in_crowd(number);
        Ok(Some(match *input {
            TapeInput::Send(to, event) => Input::Send(Envelope { to: id(to), event }),
            TapeInput::Broadcast(event) => Input::Broadcast(event),
            TapeInput::Spawn { variant, ref board } => Input::Spawn {
                board: self.board(board)?,
                variant,
            },
            TapeInput::Agent(what, agent) => match what {
                AgentInput::Despawn => Input::Despawn(id(agent)),
                AgentInput::Reset => Input::Reset(id(agent)),
                AgentInput::Stop => Input::Stop(id(agent)),
                AgentInput::Pause => Input::Pause(id(agent)),
                AgentInput::Resume => Input::Resume(id(agent)),
                AgentInput::ClearFlags => Input::ClearFlags(id(agent)),
            },
            TapeInput::Message { to, event, is_own } => {
                let message = Envelope { to: id(to), event };
                self.crowd.receive(message, is_own);
                return Ok(None);
            }
            TapeInput::Written(agent, ref bytes) => {
                let board = self.board(bytes)?;
                let place = self.crowd.board_mut(id(agent));
                *place.map_err(|error| Refusal::Input(error.into()))? = board;
                return Ok(None);
            }
            TapeInput::SetVariant(agent, variant) => Input::SetVariant(id(agent), variant),
            TapeInput::SetParameter(change) => Input::SetParameter(change),
            TapeInput::Settings(settings) => Input::Settings(settings.over(self.crowd.settings())),
            TapeInput::StartAt(tick) => Input::StartAt(tick),
            TapeInput::Number(number) => Input::Number(number),
            TapeInput::Instance(agent, ref bytes) => Input::Instance(id(agent), bytes.clone()),
            TapeInput::ResetCounters => Input::ResetCounters,
        }))
    }

    fn board(&mut self, mut bytes: &[u8]) -> Result<B, Refusal> {
        let machine = self.crowd.machine();
        if let Some(sealed) = &mut self.sealed {
            let keys = sealed.keys.take();
            let saved = keys.and_then(|keys| sealed.layout.board(machine, &keys));
            let board = saved.and_then(|saved| B::load(machine, &mut saved.as_slice()));
            return board.ok_or(Refusal::Board);
        }
        let board = B::load(machine, &mut bytes);
        let board = board.filter(|board| bytes.is_empty() && board.fits(machine));
        board.ok_or(Refusal::Board)
    }
}

/// Why an input is refused.
enum Refusal {
    Input(InputError),
    Board,
}

impl From<InputError> for Refusal {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}
