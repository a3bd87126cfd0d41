//! Which addresses are on the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not: the whole of IANA's special-purpose registry (read 2026-08), multicast, the reserved class E, and one
/// address that looks public and is a cloud's own.
const SPECIAL_V4: [(Ipv4Addr, u32); 18] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),        // this network; RFC 791
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private; RFC 1918
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // carrier-grade NAT; RFC 6598
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback; RFC 1122
    (Ipv4Addr::new(168, 63, 129, 16), 32), // Azure's platform: metadata, DNS, host agents
    (Ipv4Addr::new(169, 254, 0, 0), 16),   // link-local, and most clouds' metadata; RFC 3927
    (Ipv4Addr::new(172, 16, 0, 0), 12),    // private; RFC 1918
    (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocol assignments, and a cloud's metadata; RFC 6890
    (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation; RFC 5737
    (Ipv4Addr::new(192, 31, 196, 0), 24),  // AS112; RFC 7535
    (Ipv4Addr::new(192, 52, 193, 0), 24),  // AMT; RFC 7450
    (Ipv4Addr::new(192, 88, 99, 0), 24),   // 6to4 relays, withdrawn; RFC 7526
    (Ipv4Addr::new(192, 168, 0, 0), 16),   // private; RFC 1918
    (Ipv4Addr::new(192, 175, 48, 0), 24),  // AS112; RFC 7534
    (Ipv4Addr::new(198, 18, 0, 0), 15),    // benchmarks; RFC 2544
    (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation; RFC 5737
    (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation; RFC 5737
    (Ipv4Addr::new(224, 0, 0, 0), 3),      // multicast (RFC 5771), reserved (RFC 1112) and broadcast
];

/// The one block of IPv6 that global unicast addresses come from (RFC 4291, section 2.4; IANA's address space registry).
/// Mapped, compatible, translated (`64:ff9b::/96`, `64:ff9b:1::/48`), unique-local, link-local and multicast
/// addresses lie outside it, whatever IPv4 address they carry.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// What of that block is not public.
const SPECIAL_V6: [(Ipv6Addr, u32); 5] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, Teredo among them; RFC 2928
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation; RFC 3849
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4: an IPv4 address in disguise; RFC 3056
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48), // AS112; RFC 7534
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation; RFC 9637
];

/// Whether an address is on the public internet. What is not known to be is not.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => {
            in_v6(address, GLOBAL_V6)
                && !SPECIAL_V6.iter().any(|network| in_v6(address, *network))
                && isatap(address).is_none_or(is_public_v4)
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4.iter().any(|(network, length)| (address.to_bits() ^ network.to_bits()) >> (32 - length) == 0)
}

fn in_v6(address: Ipv6Addr, (network, length): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ network.to_bits()) >> (128 - length) == 0
}

/// The IPv4 address that an ISATAP interface carries, under any prefix (RFC 5214, section 6.1).
fn isatap(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [.., flags, 0x5efe, high, low] = address.segments() else { return None };
    // Its universal bit may be set.
    (flags & !0x0200 == 0).then(|| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_and_the_others() {
        let check = |text: &str, expect: bool| assert_eq!(is_public(text.parse().expect(text)), expect, "{text}");
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "168.63.129.17",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "2000::1",
            "2001:200::1",
            "2606:4700:4700::1111",
            "2a00:1450::1",
            "2003::1",
            "3ffe::1",
            "2a00::5efe:8.8.8.8",
            "2a00::200:5efe:8.8.8.8",
            "2a00::100:5efe:10.0.0.1",
        ] {
            check(text, true);
        }
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.0",
            "10.255.255.255",
            "100.64.0.0",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.255",
            "168.63.129.16",
            "169.254.0.0",
            "169.254.169.254",
            "169.254.170.2",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.0",
            "192.0.0.192",
            "192.0.2.1",
            "192.31.196.1",
            "192.52.193.1",
            "192.88.99.1",
            "192.168.0.0",
            "192.168.255.255",
            "192.175.48.1",
            "198.18.0.0",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::8.8.8.8",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:0:127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::8.8.8.8",
            "64:ff9b:1::10.0.0.1",
            "100::1",
            "1fff::1",
            "4000::1",
            "5f00::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:1::1",
            "2001:2::1",
            "2001:20::1",
            "2001:1ff::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2002:808:808::1",
            "2620:4f:8000::1",
            "3fff::1",
            "3fff:fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fe80::5efe:10.0.0.1",
            "fec0::1",
            "ff02::1",
            "ff0e::1",
            "2a00::5efe:10.0.0.1",
            "2a00::200:5efe:127.0.0.1",
            "2a00::5efe:168.63.129.16",
        ] {
            check(text, false);
        }
    }
}
