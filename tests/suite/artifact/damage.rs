//! Damaged files: refused with a reason, never a panic.

use super::*;

/// Refused or accepted, never a panic, and a refusal has a reason.
fn look(bytes: &[u8]) -> bool {
    let listed = Manifest::list(bytes);
    let inspected = inspect(bytes);
    assert!(inspected.is_err() || listed.is_ok(), "what is accepted can be listed");
    inspected.is_ok()
}

fn samples() -> [Vec<u8>; 2] {
    [guest(), packed(&Guest { imports: wasi_imports(), ..Guest::default() }.wat(), &manifest())]
}

#[test]
fn cut_short() {
    for component in samples() {
        assert!(look(&component));
        for length in (0..component.len()).step_by(97).chain(component.len() - 200..component.len()) {
            assert!(!look(&component[..length]), "{length} of {} bytes", component.len());
        }
    }
}

/// One bit in every seventh byte, another one each time.
#[test]
fn flipped_bits() {
    for component in samples() {
        let mut refused = 0;
        for index in (0..component.len()).step_by(7) {
            let mut damaged = component.clone();
            damaged[index] ^= 1 << (index / 7 % 8);
            refused += usize::from(!look(&damaged));
        }
        // A flip in a name or a constant may leave a valid component; most do not.
        assert!(refused > component.len() / 7 / 4, "{refused}");
    }
}

/// Noise after a good header, from a generator with a fixed seed (xorshift, Marsaglia 2003).
#[test]
fn noise() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for length in 0..600 {
        let mut bytes = HEADER.to_vec();
        for _ in 0..length {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Small numbers are what section ids, lengths and counts are made of.
            bytes.push(if state & 1 == 0 { (state >> 8) as u8 % 16 } else { (state >> 8) as u8 });
        }
        assert!(!look(&bytes));
    }
}
