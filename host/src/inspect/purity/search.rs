//! Breadth first from one export, and from all that runs at instantiation, until an import is met or nothing is left.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use super::code::{Puts, Through};
use super::names::{STEPS, labels};
use super::program::{Border, Callee, Export, Program};
use super::{Doubt, Purity, Uncovered};

type Result<T> = std::result::Result<T, Uncovered>;

/// Entries of tables, over all instances. Python's tables come to 20,000.
const MAX_ENTRIES: usize = 4_000_000;
/// Calls followed, each once for each instance it is made in. Real interpreters come to some 300,000.
const MAX_CALLS: usize = 20_000_000;
/// Functions, over all instances. The largest real tools have 13,400.
const MAX_FUNCTIONS: usize = 4_000_000;

/// Functions by the number of their type.
type ByType = HashMap<u32, Rc<[Callee]>>;

/// What may lie in each table, over all instances.
pub(super) struct Tables(Vec<Rc<ByType>>);

impl Tables {
    pub(super) fn of(program: &Program<'_, '_>) -> Result<Self> {
        let mut entries = 0usize;
        let mut add = |lying: &mut HashMap<u32, Vec<Callee>>, instance: usize, function: u32| {
            entries += 1;
            if entries > MAX_ENTRIES {
                return Err(Uncovered::new(format!("its tables hold more than {MAX_ENTRIES} functions")));
            }
            let module = &program.wiring.modules[program.instances[instance].module];
            let ty = module.functions.get(function as usize);
            let ty = ty.ok_or_else(|| Uncovered::new("a core function is missing"))?;
            lying.entry(*ty).or_default().push(program.callee(instance, function));
            Ok(())
        };
        let mut taken = HashMap::new();
        let mut lying: Vec<HashMap<u32, Vec<Callee>>> = Vec::new();
        lying.resize_with(program.tables, HashMap::new);
        let mut anything = vec![false; program.tables];
        for (instance, made) in program.instances.iter().enumerate() {
            let module = &program.wiring.modules[made.module];
            for function in module.taken.iter() {
                add(&mut taken, instance, function)?;
            }
            for (Puts { functions, anything: any }, table) in module.puts.iter().zip(&made.tables) {
                anything[*table] |= *any;
                for function in functions.iter() {
                    add(&mut lying[*table], instance, function)?;
                }
            }
        }
        let share = |lying: HashMap<u32, Vec<Callee>>| -> Rc<ByType> {
            Rc::new(lying.into_iter().map(|(ty, callees)| (ty, callees.into())).collect())
        };
        let taken = share(taken);
        let tables = lying.into_iter().zip(anything);
        Ok(Self(tables.map(|(lying, any)| if any { taken.clone() } else { share(lying) }).collect()))
    }
}

/// No step leads here yet.
const UNSEEN: u32 = u32::MAX;

struct Search<'p, 'a> {
    program: &'p Program<'p, 'a>,
    tables: &'p Tables,
    /// Where the numbers of each instance's functions begin; last, those of the borders.
    begins: Vec<usize>,
    /// For each number, the number of the step before, its own where the code is entered.
    before: Vec<u32>,
    entries: HashMap<u32, String>,
    queue: VecDeque<Callee>,
    through: HashSet<(usize, u32)>,
    dropped: bool,
    calls: usize,
}

/// What the code says of the function `name` of the exported `interface`.
pub(super) fn purity(program: &Program<'_, '_>, tables: &Tables, interface: &str, name: &str) -> Result<Purity> {
    let lifted = match program.export(interface, name)? {
        Export::Outside(path) => return Ok(Purity::Enforced(Doubt::Path(vec![name.to_owned(), path.to_string()]))),
        Export::Lifted(lifted) => lifted,
    };
    let mut search = Search::new(program, tables)?;
    search.enter(lifted.core, || name.to_owned());
    for (role, callee) in [("realloc", lifted.realloc), ("post-return", lifted.post_return)] {
        if let Some(callee) = callee {
            search.enter(callee, || format!("{role} of {name}"));
        }
    }
    for (instance, made) in program.instances.iter().enumerate() {
        if let Some(start) = program.wiring.modules[made.module].start {
            search.enter(program.callee(instance, start), || format!("start of module {}", made.module));
        }
    }
    search.run()
}

impl<'p, 'a> Search<'p, 'a> {
    fn new(program: &'p Program<'p, 'a>, tables: &'p Tables) -> Result<Self> {
        let mut total = 0;
        let mut begins = Vec::new();
        for made in &program.instances {
            begins.push(total);
            total += program.wiring.modules[made.module].functions.len();
        }
        begins.push(total);
        total += program.borders.len();
        if total > MAX_FUNCTIONS {
            return Err(Uncovered::new(format!("its instances hold more than {MAX_FUNCTIONS} functions")));
        }
        Ok(Self {
            program,
            tables,
            begins,
            before: vec![UNSEEN; total],
            entries: HashMap::new(),
            queue: VecDeque::new(),
            through: HashSet::new(),
            dropped: false,
            calls: 0,
        })
    }

    fn number(&self, callee: Callee) -> u32 {
        let number = match callee {
            Callee::Body(instance, function) => self.begins[instance] + function as usize,
            Callee::Border(border) => self.begins[self.program.instances.len()] + border,
        };
        number as u32
    }

    fn enter(&mut self, callee: Callee, entry: impl FnOnce() -> String) {
        let number = self.number(callee);
        if self.before[number as usize] == UNSEEN {
            self.entries.insert(number, entry());
            self.reach(callee, number);
        }
    }

    fn reach(&mut self, callee: Callee, from: u32) {
        let number = self.number(callee) as usize;
        if self.before[number] == UNSEEN {
            self.before[number] = from;
            self.queue.push_back(callee);
        }
    }

    fn run(&mut self) -> Result<Purity> {
        let program = self.program;
        while let Some(callee) = self.queue.pop_front() {
            let number = self.number(callee);
            match callee {
                Callee::Border(border) => match &program.borders[border] {
                    Border::Outside(_) => return Ok(Purity::Enforced(Doubt::Path(self.path(callee)))),
                    Border::Inside(callees) => callees.iter().for_each(|to| self.reach(*to, number)),
                    Border::Drop if !self.dropped => {
                        self.dropped = true;
                        program.destructors.iter().for_each(|to| self.reach(*to, number));
                    }
                    Border::Drop | Border::Nothing => {}
                },
                Callee::Body(instance, function) => self.body(number, instance, function)?,
            }
        }
        Ok(Purity::Proved)
    }

    fn body(&mut self, number: u32, instance: usize, function: u32) -> Result<()> {
        let (program, tables) = (self.program, self.tables);
        let made = &program.instances[instance];
        let module = &program.wiring.modules[made.module];
        let Some(body) = (function as usize).checked_sub(module.imported_functions) else {
            return Err(Uncovered::new("an imported function was not resolved"));
        };
        let (calls, through) = (module.calls.row(body)?, module.through.row(body)?);
        self.calls += calls.len() + through.len();
        if self.calls > MAX_CALLS {
            return Err(Uncovered::new(format!("it holds more than {MAX_CALLS} calls")));
        }
        for to in calls {
            self.reach(program.callee(instance, *to), number);
        }
        for Through { table, ty } in through {
            let table = made.tables.get(*table as usize);
            let table = *table.ok_or_else(|| Uncovered::new("a core table is missing"))?;
            // Whoever gets there first has the shortest way.
            if self.through.insert((table, *ty))
                && let Some(targets) = tables.0[table].get(ty)
            {
                targets.iter().for_each(|to| self.reach(*to, number));
            }
        }
        Ok(())
    }

    fn path(&self, last: Callee) -> Vec<String> {
        let mut steps = vec![last];
        let mut number = self.number(last);
        // Each was reached from one that was reached before it, up to one that leads to itself.
        while self.before[number as usize] != number {
            number = self.before[number as usize];
            steps.push(self.callee(number as usize));
        }
        steps.reverse();
        let mut path = vec![self.entries.get(&number).cloned().unwrap_or_default()];
        let left_out = steps.len().saturating_sub(STEPS);
        if left_out == 0 {
            path.extend(labels(self.program, &steps));
        } else {
            path.extend(labels(self.program, &steps[..STEPS / 2]));
            path.push(format!("… {left_out} more …"));
            path.extend(labels(self.program, &steps[STEPS / 2 + left_out..]));
        }
        path
    }

    fn callee(&self, number: usize) -> Callee {
        // The last that begins at or before it: an instance without functions begins where the next one does.
        let instance = self.begins.partition_point(|begin| *begin <= number) - 1;
        let index = number - self.begins[instance];
        if instance == self.program.instances.len() {
            Callee::Border(index)
        } else {
            Callee::Body(instance, index as u32)
        }
    }
}
