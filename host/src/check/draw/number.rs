//! Numbers: the edges of the schema, those of the machine, and what lies between.

use serde_json::{Number, Value};

use super::Purpose;
use super::hand::{Hand, How, Stuck};
use super::shape::Shape;

/// Where readers of numbers are known to differ: around zero, at the edges of 8, 31, 32 and 53 bits, and of 64.
const WHOLE: &[i128] = &[
    0,
    1,
    -1,
    2,
    9,
    10,
    127,
    255,
    256,
    999,
    1_000,
    (1 << 31) - 1,
    1 << 31,
    -(1 << 31),
    (1 << 32) - 1,
    1 << 32,
    (1 << 53) - 1,
    1 << 53,
    (1 << 53) + 1,
    -(1 << 53) - 1,
    i64::MAX as i128,
    i64::MIN as i128,
    u64::MAX as i128,
];

/// Signed zero, the ends of the range, subnormal, what is written with an exponent, what has no short binary form.
const FRACTIONS: &[f64] = &[
    0.0,
    -0.0,
    0.1,
    0.5,
    -0.5,
    1.5,
    1.0 / 3.0,
    0.1 + 0.2,
    99.99,
    1e-7,
    1e15,
    1e21,
    -1e21,
    5e-324,
    f64::MIN_POSITIVE,
    f64::EPSILON,
    f64::MAX,
    f64::MIN,
];

/// Beyond this a float has no neighbour one apart, so that a whole number cannot be written as one.
const EXACT: i128 = 1 << 53;

/// What the bounds leave of the whole numbers that JSON may hold here.
struct Range {
    low: i128,
    high: i128,
    /// Every number is a multiple of it.
    step: i128,
}

impl Range {
    fn of(shape: &Shape<'_>, purpose: Purpose) -> Self {
        let low = shape.each("minimum").filter_map(|bound| whole(bound, f64::ceil)).max();
        let above = shape.each("exclusiveMinimum").filter_map(|bound| whole(bound, f64::floor)).map(|n| n + 1).max();
        let high = shape.each("maximum").filter_map(|bound| whole(bound, f64::floor)).min();
        let below = shape.each("exclusiveMaximum").filter_map(|bound| whole(bound, f64::ceil)).map(|n| n - 1).min();
        let low = low.max(above);
        let high = match (high, below) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        // A program's integer has a sign or has none; a schema that says neither leaves it the one with a sign.
        let most = match purpose {
            Purpose::Value if low.is_none_or(|low| low < 0) => i64::MAX.into(),
            _ => u64::MAX.into(),
        };
        let low = low.unwrap_or(i64::MIN.into()).max(i64::MIN.into());
        let high = high.unwrap_or(most).min(u64::MAX.into());
        let steps = shape.each("multipleOf").filter_map(|step| whole(step, f64::ceil)).filter(|step| *step > 0);
        Self { low, high, step: steps.fold(1, common) }
    }

    /// The multiple nearest below, or above where that is out.
    fn fit(&self, number: i128) -> Option<i128> {
        let down = number - number.rem_euclid(self.step);
        [down, down + self.step].into_iter().find(|number| (self.low..=self.high).contains(number))
    }

    fn draw(&self, hand: &mut Hand<'_>) -> Option<i128> {
        if hand.how == How::Least {
            return self.fit(0.clamp(self.low, self.high.max(self.low)));
        }
        let edges = [self.low, self.low + self.step, self.high, self.high - self.step];
        let drawn = match hand.choices.below(4) {
            0 => *hand.choices.one_of(&edges)?,
            1 => *hand.choices.one_of(WHOLE)?,
            2 => hand.choices.between(self.low.max(-20), self.high.min(1_000)),
            _ => {
                // As many bits as the dice say: most numbers of a plain range are of the largest size.
                let bits = hand.choices.below(65);
                let size = hand.choices.between(0, (1 << bits) - 1);
                if hand.choices.once_in(3) { -size } else { size }
            }
        };
        self.fit(drawn).or_else(|| self.fit(hand.choices.between(self.low, self.high)))
    }
}

/// A number without a fraction.
pub(super) fn integer(shape: &Shape<'_>, hand: &mut Hand<'_>) -> Result<Value, Stuck> {
    let range = Range::of(shape, hand.purpose());
    let drawn = range.draw(hand).ok_or_else(|| hand.stuck(shape.at, "no integer of 64 bits is within the bounds"))?;
    // JSON Schema calls 1.0 an integer. A tool may be asked with it; a program that writes integers writes 1.
    let as_float = hand.purpose() == Purpose::Arguments && hand.how == How::Any && hand.choices.once_in(24);
    if as_float && drawn.abs() < EXACT { float(drawn as f64) } else { written(drawn) }
        .ok_or_else(|| hand.stuck(shape.at, "no number that JSON can hold is within the bounds"))
}

/// Any number.
pub(super) fn number(shape: &Shape<'_>, hand: &mut Hand<'_>) -> Result<Value, Stuck> {
    let range = Range::of(shape, Purpose::Arguments);
    if (hand.how == How::Least || hand.choices.once_in(3))
        && let Some(value) = range.draw(hand).and_then(written)
    {
        return Ok(value);
    }
    let bounds = |keyword: &'static str| shape.each(keyword).filter_map(Value::as_f64);
    let low = bounds("minimum").chain(bounds("exclusiveMinimum")).fold(f64::MIN, f64::max);
    let high = bounds("maximum").chain(bounds("exclusiveMaximum")).fold(f64::MAX, f64::min);
    let open_low = bounds("exclusiveMinimum").any(|bound| bound == low);
    let open_high = bounds("exclusiveMaximum").any(|bound| bound == high);
    let within = |n: &f64| *n >= low && *n <= high && !(open_low && *n == low) && !(open_high && *n == high);
    let steps: Vec<f64> = bounds("multipleOf").collect();
    for _ in 0..16 {
        let drawn = match hand.choices.below(4) {
            0 => [low, low.next_up(), high, high.next_down()][hand.choices.below(4)],
            1 => hand.choices.one_of(FRACTIONS).copied().unwrap_or_default(),
            2 => low.max(-10.0) + (high.min(1_000.0) - low.max(-10.0)) * hand.choices.fraction(),
            _ => low * hand.choices.fraction() + high * hand.choices.fraction(),
        };
        let drawn = steps.iter().fold(drawn, |drawn, step| (drawn / step).trunc() * step);
        if within(&drawn)
            && let Some(value) = float(drawn)
        {
            return Ok(value);
        }
    }
    let middle = low / 2.0 + high / 2.0;
    let left = if within(&middle) { float(middle) } else { range.draw(hand).and_then(written) };
    left.ok_or_else(|| hand.stuck(shape.at, "no number is within the bounds"))
}

fn whole(bound: &Value, round: fn(f64) -> f64) -> Option<i128> {
    if let Some(bound) = bound.as_i64() {
        return Some(bound.into());
    }
    // Saturates: beyond 64 bits the bound leaves everything or nothing.
    bound.as_u64().map(i128::from).or_else(|| bound.as_f64().map(|bound| round(bound).clamp(-1e20, 1e20) as i128))
}

fn written(number: i128) -> Option<Value> {
    let signed = i64::try_from(number).map(Number::from);
    signed.or_else(|_| u64::try_from(number).map(Number::from)).ok().map(Value::Number)
}

fn float(number: f64) -> Option<Value> {
    Number::from_f64(number).map(Value::Number)
}

/// The least common multiple; the second alone where that is past all use.
fn common(one: i128, other: i128) -> i128 {
    let (mut big, mut small) = (one, other);
    while small != 0 {
        (big, small) = (small, big % small);
    }
    (one / big.max(1)).checked_mul(other).unwrap_or(other)
}
