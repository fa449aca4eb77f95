//! Reads `mistakes.md`: headings, sentences, and edits in blocks of `diff`. The file's own first
//! lines say what each means.

/// A mistake that the copy can make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Its heading.
    pub name: String,
    /// Its sentence.
    pub sentence: String,
    /// A machine that saw it once, tried first: most machines have nothing to do with it.
    pub seed: Option<u64>,
    /// A machine of `proof/fused/machines` that sees it.
    pub machine: Option<String>,
    /// It is seen where parts are compared with the same states written out, and nowhere else:
    /// kernel and oracle get what was joined already.
    pub in_parts: bool,
    /// It is seen where agents live on in another version of their machine, and nowhere else.
    pub in_reloads: bool,
    /// It is made by the generator of fused machines, and seen by their code.
    pub in_code: bool,
}

/// An edit of the kernel's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The mistake it belongs to, counted from 1 in the order of the file; 0 = all of them.
    pub number: u8,
    /// What must stand in the kernel exactly once; white space does not count.
    pub find: String,
    /// What takes its place.
    pub replace: String,
}

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// In the order of the file: the first has the number 1.
    pub mistakes: Vec<Mistake>,
    /// In the order of the file.
    pub edits: Vec<Edit>,
}

impl List {
    /// The mistake with a number.
    pub fn mistake(&self, number: u8) -> Option<&Mistake> {
        let index = usize::from(number).checked_sub(1)?;
        self.mistakes.get(index)
    }

    /// The name of the mistake with a number.
    pub fn name(&self, number: u8) -> &str {
        self.mistake(number)
            .map_or("all mistakes", |mistake| &mistake.name)
    }
}

/// Reads the file; the problem names the mistake.
pub fn parse(text: &str) -> Result<List, String> {
    let mut list = List::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("## ") {
            list.mistakes.push(Mistake {
                name: name.to_owned(),
                sentence: lines.next().unwrap_or_default().to_owned(),
                seed: None,
                machine: None,
                in_parts: false,
                in_reloads: false,
                in_code: false,
            });
        } else if line == "Seen by parts." {
            let mistake = list.mistakes.last_mut();
            mistake.ok_or("`Seen by` belongs to a mistake")?.in_parts = true;
        } else if line == "Seen by reloads." {
            let mistake = list.mistakes.last_mut();
            mistake.ok_or("`Seen by` belongs to a mistake")?.in_reloads = true;
        } else if line == "Seen by code." {
            let mistake = list.mistakes.last_mut();
            mistake.ok_or("`Seen by` belongs to a mistake")?.in_code = true;
        } else if let Some(seed) = line.strip_prefix("Seen by seed ") {
            let mistake = list.mistakes.last_mut();
            let mistake = mistake.ok_or("a seed belongs to a mistake")?;
            let seed = seed.trim_end_matches('.').parse();
            mistake.seed = Some(seed.map_err(|_| format!("{}: `{line}`", mistake.name))?);
        } else if let Some(machine) = line.strip_prefix("Seen by machine ") {
            let mistake = list.mistakes.last_mut();
            let mistake = mistake.ok_or("a machine belongs to a mistake")?;
            mistake.machine = Some(machine.trim_end_matches('.').to_owned());
        } else if line == "```diff" {
            let number = u8::try_from(list.mistakes.len())
                .map_err(|_| "a copy can make 255 mistakes at most".to_owned())?;
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let edit = edit(number, &block)
                .map_err(|problem| format!("{}: {problem}", list.name(number)))?;
            list.edits.push(edit);
        }
    }
    check(&list)?;
    Ok(list)
}

fn edit(number: u8, block: &[&str]) -> Result<Edit, String> {
    let (mut find, mut replace) = (String::new(), String::new());
    for line in block {
        let mut characters = line.chars();
        let (old, new) = match characters.next() {
            Some(' ') => (true, true),
            Some('-') => (true, false),
            Some('+') => (false, true),
            Some(_) | None => return Err(format!("`{line}` begins with none of ` `, `-`, `+`")),
        };
        for text in [old.then_some(&mut find), new.then_some(&mut replace)] {
            text.into_iter()
                .for_each(|text| *text += &format!("{}\n", characters.as_str()));
        }
    }
    if find.trim().is_empty() || find == replace {
        return Err(format!("an edit changes nothing: `{}`", block.join("\n")));
    }
    let (word, call) = match number {
        0 => ("ANY_MISTAKE", "crate::mistakes::any()".to_owned()),
        _ => ("MISTAKE", format!("crate::mistakes::is({number})")),
    };
    Ok(Edit {
        number,
        find,
        replace: replace.replace(word, &call),
    })
}

/// Every mistake has a sentence and is made at some place, and no two have one name.
fn check(list: &List) -> Result<(), String> {
    for (number, mistake) in (1_u8..).zip(&list.mistakes) {
        let name = &mistake.name;
        let switch = format!("crate::mistakes::is({number})");
        if mistake.sentence.is_empty() {
            return Err(format!(
                "{name}: the line after the heading says what is wrong"
            ));
        }
        if list
            .mistakes
            .iter()
            .filter(|other| other.name == *name)
            .count()
            > 1
        {
            return Err(format!("{name}: there are two of this name"));
        }
        let mut own = list.edits.iter().filter(|edit| edit.number == number);
        if !own.any(|edit| edit.replace.contains(&switch)) {
            return Err(format!("{name}: no edit asks for `MISTAKE`"));
        }
    }
    Ok(())
}
