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

/// Cuts a tall region into so many columns, which stand side by side: what is below a cut starts
/// again at the top. Whatever a step joins stays as far apart as its length says, above or below.
pub(crate) fn fold(rows: &mut [usize], least: &[usize], steps: &[Step], columns: usize) {
    let count = rows.iter().max().map_or(0, |last| last + 1);
    if columns < 2 || count < 2 {
        return;
    }
    // Rows of labels stand between rows of items; a cut must not fall between the two.
    let height = count.div_ceil(columns).next_multiple_of(2).max(2);
    let mut joined: Vec<Vec<(usize, usize)>> = vec![Vec::new(); rows.len()];
    for step in steps {
        joined[step.upper].push((step.lower, step.length));
        joined[step.lower].push((step.upper, step.length));
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&item| (rows[item], item));
    let mut is_placed = vec![false; rows.len()];
    for item in order {
        let mut row = (rows[item] % height).max(least[item]);
        let is_near = |row: usize, rows: &[usize]| {
            let mut placed = joined[item].iter().filter(|(other, _)| is_placed[*other]);
            placed.any(|&(other, length)| rows[other].abs_diff(row) < length)
        };
        while is_near(row, rows) {
            row += 1;
        }
        (rows[item], is_placed[item]) = (row, true);
    }
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
    fn a_chain_is_cut_into_columns_and_keeps_its_steps() {
        let chain = |count: usize| -> Vec<Step> {
            let step = |upper: usize| Step {
                upper,
                lower: upper + 1,
                length: 2,
            };
            (0..count - 1).map(step).collect()
        };
        let steps = chain(12);
        let mut folded = rows(&[0; 12], &steps);
        assert_eq!(folded[11], 22);
        fold(&mut folded, &[0; 12], &steps, 3);
        assert_eq!(folded, [0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6]);
        for step in &steps {
            assert!(folded[step.upper].abs_diff(folded[step.lower]) >= step.length);
        }
        let mut one = rows(&[0; 12], &steps);
        fold(&mut one, &[0; 12], &steps, 1);
        assert_eq!(one[11], 22, "one column is as it was");
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
