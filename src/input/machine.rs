//! Machines in JSON: levels, units, and what a transfer costs.

use super::json::{self, Value};
use super::json_object::Object;
use super::source::{Source, quoted};
use crate::error::Error;
use crate::model::{Buckets, Level, MAX_NUMBER, Machine, Manager, Name, PoolRules, Transfer, Unit};

const WANTED: &str = "a machine: an object with `levels` and `transfer`, and optionally `name`, `units`, \
                      `window` and `main_memory`";

/// The built-in machine of that name, else the one in that file.
///
/// # Errors
/// As [`read_machine`].
pub fn find_machine(name_or_path: &str) -> Result<Machine, Error> {
    if let Some(machine) = Machine::preset(name_or_path) {
        return Ok(machine);
    }
    if name_or_path != "-" && !std::path::Path::new(name_or_path).exists() {
        let advice = format!("name a machine file or a built-in machine: {}", Machine::PRESETS.join(", "));
        return Err(Error::input("there is no such machine", advice).in_file(name_or_path));
    }
    read_machine(&Source::read(name_or_path)?)
}

/// Reads a machine. Unknown fields are left out.
///
/// # Errors
/// Where the text is not JSON, or a field is missing or is not what it must be, with the place.
pub fn read_machine(source: &Source) -> Result<Machine, Error> {
    json::check_object(source, WANTED)?;
    let top = Object::new(source, "the machine", Value::root(&source.text))?;
    let levels = top.objects("levels", "level")?.iter().map(read_level).collect::<Result<Vec<_>, _>>()?;
    if levels.is_empty() {
        return Err(top.missing("levels", "at least one level"));
    }
    let units = top.objects("units", "unit")?.iter().map(read_unit).collect::<Result<Vec<_>, _>>()?;
    let window = top.get("window").map(|_| top.whole("window", 1, u64::from(u32::MAX), None)).transpose()?;
    Ok(Machine {
        name: Name::new(top.text("name", Some(&source.stem))?),
        levels: distinct(&top, "levels", levels, |level| &level.name)?,
        units: distinct(&top, "units", units, |unit| &unit.name)?,
        transfer: read_transfer(&top)?,
        window: window.and_then(|window| u32::try_from(window).ok()),
        main_memory: read_main_memory(&top)?,
    })
}

fn read_level(level: &Object) -> Result<Level, Error> {
    let manager = match level.text("manager", Some("arena"))?.as_str() {
        "arena" => Manager::Arena,
        "pool" => Manager::Pool(read_pool_rules(level)?),
        _ => return Err(level.bad("manager", "\"arena\" or \"pool\"")),
    };
    Ok(Level {
        name: Name::new(level.text("name", None)?),
        capacity: level.whole("capacity", 1, MAX_NUMBER, None)?,
        manager,
        spill: level.flag("spill", true)?,
        fresh_bytes_per_cycle: read_fresh_rate(level)?,
    })
}

fn read_main_memory(top: &Object) -> Result<PoolRules, Error> {
    let Some(value) = top.get("main_memory") else { return Ok(PoolRules::default()) };
    read_pool_rules(&Object::new(top.source, "`main_memory`", value)?)
}

/// The members `buckets` and `max_age` of `pool`.
fn read_pool_rules(pool: &Object) -> Result<PoolRules, Error> {
    let buckets = match pool.get("buckets") {
        None => Buckets::tlsf(),
        Some(value) => pool
            .text("buckets", None)?
            .parse()
            .map_err(|what: String| pool.source.error(value.range(), format!("{}: `buckets`: {what}", pool.who), ""))?,
    };
    let max_age = pool.get("max_age").map(|_| pool.whole("max_age", 0, MAX_NUMBER, None)).transpose()?;
    Ok(PoolRules { buckets, max_age })
}

fn read_fresh_rate(level: &Object) -> Result<Option<f64>, Error> {
    if level.get("fresh_bytes_per_cycle").is_none() {
        return Ok(None);
    }
    let rate = level.real("fresh_bytes_per_cycle", None)?;
    if rate > 0.0 { Ok(Some(rate)) } else { Err(level.bad("fresh_bytes_per_cycle", "a number above 0")) }
}

fn read_unit(unit: &Object) -> Result<Unit, Error> {
    let count = unit.whole("count", 1, u64::from(u8::MAX), Some(1))?;
    Ok(Unit { name: Name::new(unit.text("name", None)?), count: u8::try_from(count).unwrap_or(u8::MAX) })
}

fn read_transfer(top: &Object) -> Result<Transfer, Error> {
    let value = top.get("transfer").ok_or_else(|| top.missing("transfer", "an object"))?;
    let transfer = Object::new(top.source, "`transfer`", value)?;
    let bytes_per_cycle = transfer.real("bytes_per_cycle", None)?;
    if bytes_per_cycle <= 0.0 {
        return Err(transfer.bad("bytes_per_cycle", "a number above 0"));
    }
    let energy_per_unit = transfer.real("energy_per_unit", Some(1.0))?;
    if energy_per_unit < 0.0 {
        return Err(transfer.bad("energy_per_unit", "a number from 0"));
    }
    Ok(Transfer {
        bytes_per_cycle,
        overhead: transfer.whole("overhead", 0, MAX_NUMBER, None)?,
        backed_out_free: transfer.flag("backed_out_free", true)?,
        out: Name::new(transfer.text("out", Some("MTE3"))?),
        back: Name::new(transfer.text("in", Some("MTE2"))?),
        energy_per_unit,
    })
}

/// `entries`, unless two have the same name.
fn distinct<T>(top: &Object, list: &str, entries: Vec<T>, name: impl Fn(&T) -> &Name) -> Result<Vec<T>, Error> {
    let mut seen = std::collections::HashSet::new();
    let Some(at) = entries.iter().position(|entry| !seen.insert(name(entry))) else { return Ok(entries) };
    let what = format!("`{list}` has the name {} twice", quoted(name(&entries[at]).raw()));
    let place = top.get(list).and_then(|value| value.items().nth(at)).map_or(0..0, Value::range);
    Err(top.source.error(place, what, "give each a name of its own"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a machine in JSON, in which `'` stands for `"`.
    fn read(text: &str) -> Result<Machine, Error> {
        read_machine(&Source::from_text("m.json", text.replace('\'', "\"")))
    }

    const LEVELS: &str = "'levels': [{'name': 'L1', 'capacity': 8}]";
    const TRANSFER: &str = "'transfer': {'bytes_per_cycle': 0.5, 'overhead': 150}";

    #[test]
    fn a_machine_with_every_field() {
        let machine = read(
            "{'name': 'm', 'levels': [{'name': 'A', 'capacity': 9, 'manager': 'pool', 'spill': false, 'buckets': 'fixed:4,8', 'max_age': 7,
                            'fresh_bytes_per_cycle': 0.5}],
              'units': [{'name': 'P', 'count': 3}, {'name': 'Q'}], 'window': 4, 'extra': [],
              'transfer': {'bytes_per_cycle': 2, 'overhead': 1, 'backed_out_free': false, 'out': 'O', 'in': 'I',
                           'energy_per_unit': 0},
              'main_memory': {'buckets': 'pow2', 'max_age': 0}}",
        );
        let level = Level {
            name: "A".into(),
            capacity: 9,
            manager: Manager::Pool(PoolRules { buckets: Buckets::Fixed(vec![4, 8]), max_age: Some(7) }),
            spill: false,
            fresh_bytes_per_cycle: Some(0.5),
        };
        let expected = Machine {
            name: "m".into(),
            levels: vec![level],
            units: vec![Unit { name: "P".into(), count: 3 }, Unit { name: "Q".into(), count: 1 }],
            transfer: Transfer {
                bytes_per_cycle: 2.0,
                overhead: 1,
                backed_out_free: false,
                out: "O".into(),
                back: "I".into(),
                energy_per_unit: 0.0,
            },
            window: Some(4),
            main_memory: PoolRules { buckets: Buckets::PowersOfTwo, max_age: Some(0) },
        };
        assert_eq!(machine.unwrap(), expected);
    }

    #[test]
    fn what_is_left_out_has_the_published_value() {
        let machine = read(&format!("{{{LEVELS}, {TRANSFER}, 'window': null}}")).unwrap();
        let npu = Machine::npu();
        assert_eq!((machine.name.raw(), machine.units, machine.window), ("m", vec![], None));
        assert_eq!(machine.transfer, npu.transfer);
        assert_eq!(machine.main_memory, PoolRules { buckets: Buckets::tlsf(), max_age: None });
        assert_eq!(machine.levels[0], Level::arena("L1", 8, true));
    }

    #[test]
    fn presets_are_found_by_name_and_files_by_path() {
        assert_eq!(find_machine("npu").unwrap(), Machine::npu());
        let error = find_machine("no-such-machine").unwrap_err();
        assert!(error.advice.contains("npu, seed"), "{error}");
    }

    #[test]
    fn faults_are_in_plain_words_at_their_place() {
        let level = |fields: &str| format!("{{'levels': [{{{fields}}}], {TRANSFER}}}");
        let transfer = |fields: &str| format!("{{{LEVELS}, 'transfer': {{{fields}}}}}");
        let whole = |text: &str| format!("{{{LEVELS}, {TRANSFER}, {text}}}");
        for (text, words) in [
            (String::new(), "the file is empty"),
            ("{'levels': [".into(), "cut short"),
            ("[]".into(), "an object at the top, found []"),
            (format!("{{{TRANSFER}}}"), "the machine: `levels` is missing: expected at least one level"),
            (format!("{{'levels': [], {TRANSFER}}}"), "expected at least one level"),
            (format!("{{'levels': {{}}, {TRANSFER}}}"), "`levels` must be a list, found {}"),
            (format!("{{'levels': [7], {TRANSFER}}}"), "level 0, counted from 0 must be an object, found 7"),
            (level("'capacity': 1"), "level 0, counted from 0: `name` is missing"),
            (level("'name': '', 'capacity': 1"), "`name` must be a text that is not empty"),
            (level("'name': 'A'"), "`capacity` is missing: expected a whole number from 1 to 2^63-1"),
            (level("'name': 'A', 'capacity': 0"), "`capacity` must be a whole number from 1 to 2^63-1, found 0"),
            (level("'name': 'A', 'capacity': 1.5"), "found 1.5"),
            (level("'name': 'A', 'capacity': 9223372036854775808"), "found 9223372036854775808"),
            (level("'name': 'A', 'capacity': 1, 'manager': 'heap'"), "must be \"arena\" or \"pool\", found \"heap\""),
            (level("'name': 'A', 'capacity': 1, 'manager': 'pool', 'buckets': 'oak'"), "unknown buckets 'oak'"),
            (level("'name': 'A', 'capacity': 1, 'manager': 'pool', 'max_age': -1"), "`max_age` must be a whole number"),
            (level("'name': 'A', 'capacity': 1, 'fresh_bytes_per_cycle': 0"), "must be a number above 0, found 0"),
            (level("'name': 'A', 'capacity': 1, 'spill': 'no'"), "`spill` must be true or false, found \"no\""),
            (level("'name': 'A', 'capacity': 1, 'name': 'B'"), "`name` stands twice in the same object"),
            (
                format!("{{'levels': [{{'name':'A','capacity':1}},{{'name':'A','capacity':2}}], {TRANSFER}}}"),
                "`levels` has the name A twice",
            ),
            (whole("'units': [{'name': 'P', 'count': 0}]"), "`count` must be a whole number from 1 to 255, found 0"),
            (whole("'units': [{'name': 'P', 'count': 256}]"), "found 256"),
            (whole("'units': [{'name': 'P'}, {'name': 'P'}]"), "`units` has the name P twice"),
            (whole("'window': 0"), "`window` must be a whole number from 1 to 4294967295, found 0"),
            (whole("'main_memory': 7"), "`main_memory` must be an object, found 7"),
            (whole("'main_memory': {'buckets': 'oak'}"), "`main_memory`: `buckets`: unknown buckets 'oak'"),
            (whole("'main_memory': {'max_age': 1.5}"), "`main_memory`: `max_age` must be a whole number"),
            (whole("'name': 3"), "the machine: `name` must be a text, found 3"),
            (format!("{{{LEVELS}}}"), "the machine: `transfer` is missing"),
            (format!("{{{LEVELS}, 'transfer': 1}}"), "`transfer` must be an object, found 1"),
            (transfer("'overhead': 1"), "`transfer`: `bytes_per_cycle` is missing"),
            (transfer("'bytes_per_cycle': 0, 'overhead': 1"), "must be a number above 0, found 0"),
            (transfer("'bytes_per_cycle': -2, 'overhead': 1"), "must be a number above 0, found -2"),
            (transfer("'bytes_per_cycle': 1e999, 'overhead': 1"), "must be a finite number, found 1e999"),
            (transfer("'bytes_per_cycle': '1', 'overhead': 1"), "must be a finite number, found \"1\""),
            (transfer("'bytes_per_cycle': 1"), "`overhead` is missing"),
            (transfer("'bytes_per_cycle': 1, 'overhead': -1"), "`overhead` must be a whole number from 0"),
            (transfer("'bytes_per_cycle': 1, 'overhead': 0, 'energy_per_unit': -1"), "must be a number from 0"),
        ] {
            let error = read(&text).expect_err(&text);
            assert!(error.what.contains(words), "{text}: {}", error.what);
            let place = error.place.unwrap();
            assert_eq!((place.file.as_str(), place.at.is_some()), ("m.json", !text.is_empty()));
        }
    }

    #[test]
    fn a_fault_deep_inside_has_its_line_and_column() {
        let text = format!("{{\n {LEVELS},\n {TRANSFER},\n 'units': [\n  {{'name': 'P', 'count': -1}}]}}");
        assert_eq!(read(&text).unwrap_err().place.unwrap().at, Some((5, 26)));
    }
}
