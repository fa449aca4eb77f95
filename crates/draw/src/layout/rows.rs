//! In which row each item of a region stands: circles broken, then as high as the lines allow.

/// One thing must stand so many rows above another.
pub(crate) struct Step {
    pub(crate) upper: usize,
    pub(crate) lower: usize,
    pub(crate) length: usize,
}

/// Turns around the lines that close a circle in a walk from the first item, and those that lead
/// from what the walk did not reach to what it did: what a region starts with stands on top. True:
/// as it was.
pub(crate) fn without_circles(count: usize, ends: &[(usize, usize)]) -> Vec<bool> {
    let mut out = vec![Vec::new(); count];
    for (edge, &(from, _)) in ends.iter().enumerate() {
        out[from].push(edge);
    }
    let (mut is_down, mut is_open) = (vec![true; ends.len()], vec![false; count]);
    let mut walk: Vec<Option<usize>> = vec![None; count];
    for start in 0..count {
        if walk[start].is_some() {
            continue;
        }
        let mut stack = vec![(start, 0)];
        (walk[start], is_open[start]) = (Some(start), true);
        while let Some((at, next)) = stack.pop() {
            let Some(&edge) = out[at].get(next) else {
                is_open[at] = false;
                continue;
            };
            stack.push((at, next + 1));
            let to = ends[edge].1;
            match walk[to] {
                None => {
                    (walk[to], is_open[to]) = (Some(start), true);
                    stack.push((to, 0));
                }
                earlier => is_down[edge] = !is_open[to] && earlier == Some(start),
            }
        }
    }
    is_down
}

/// The row of each item: as high as the steps allow, then down again where most of its lines lead
/// down.
pub(crate) fn rows(least: &[usize], steps: &[Step]) -> Vec<usize> {
    let count = least.len();
    let (mut above, mut below) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    let mut waiting = vec![0; count];
    for step in steps {
        below[step.upper].push(step);
        above[step.lower].push(step);
        waiting[step.lower] += 1;
    }
    let mut rows = least.to_vec();
    let mut order: Vec<usize> = (0..count).filter(|&item| waiting[item] == 0).collect();
    let mut done = 0;
    while done < order.len() {
        let item = order[done];
        done += 1;
        for step in &below[item] {
            rows[step.lower] = rows[step.lower].max(rows[item] + step.length);
            waiting[step.lower] -= 1;
            if waiting[step.lower] == 0 {
                order.push(step.lower);
            }
        }
    }
    for &item in order.iter().rev() {
        let lowest = below[item]
            .iter()
            .map(|step| rows[step.lower].saturating_sub(step.length))
            .min();
        if let Some(lowest) = lowest
            && below[item].len() > above[item].len()
        {
            rows[item] = rows[item].max(lowest);
        }
    }
    rows
}

/// Items that nothing is joined to stand in as many columns as rows instead of all side by side.
pub(crate) fn stand_in_columns(rows: &mut [usize], is_joined: &[bool]) {
    let alone: Vec<usize> = (0..rows.len()).filter(|&item| !is_joined[item]).collect();
    if alone.len() < 6 {
        return;
    }
    let columns = (alone.len() as f64).sqrt().ceil() as usize;
    for (place, item) in alone.into_iter().enumerate() {
        rows[item] += place / columns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_broken_where_they_close() {
        let ends = [(0, 1), (1, 2), (2, 1), (2, 0), (0, 2)];
        assert_eq!(without_circles(3, &ends), [true, true, false, false, true]);
        assert_eq!(
            without_circles(3, &[(0, 1), (2, 1)]),
            [true, false],
            "what is not reached stands below"
        );
    }

    #[test]
    fn rows_keep_every_step_and_no_more() {
        let steps = [(0, 1, 1), (1, 2, 2), (0, 2, 1), (3, 2, 1)];
        let steps: Vec<Step> = steps
            .iter()
            .map(|&(upper, lower, length)| Step {
                upper,
                lower,
                length,
            })
            .collect();
        assert_eq!(
            rows(&[0; 4], &steps),
            [0, 1, 3, 2],
            "the last one moves down to what it leads to"
        );
    }

    #[test]
    fn many_that_stand_alone_make_a_square() {
        let (mut rows, mut is_joined) = (vec![0; 11], vec![false; 11]);
        (is_joined[0], is_joined[1]) = (true, true);
        stand_in_columns(&mut rows, &is_joined);
        assert_eq!(rows, [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2]);
        let mut few = vec![0; 4];
        stand_in_columns(&mut few, &[false; 4]);
        assert_eq!(few, [0; 4]);
    }
}
