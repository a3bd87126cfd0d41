//! Domains under which anyone may have a name.

/// What registries put before a country's code: `co.uk`, `com.au`, `ac.jp`.
const SECOND_LEVEL: [&str; 14] =
    ["ac", "co", "com", "edu", "gob", "gov", "go", "gouv", "ltd", "mil", "ne", "net", "or", "org"];
/// Hosting where a customer's name comes first, of the private part of the public suffix list (publicsuffix.org): those in
/// wide use. The whole list has thousands and changes weekly; a warning need not know them all.
const HOSTING: [&str; 34] = [
    "amazonaws.com",
    "appspot.com",
    "azurecontainerapps.io",
    "azureedge.net",
    "azurewebsites.net",
    "blogspot.com",
    "cloudapp.azure.com",
    "cloudfront.net",
    "core.windows.net",
    "deno.dev",
    "digitaloceanspaces.com",
    "firebaseapp.com",
    "fly.dev",
    "github.io",
    "githubusercontent.com",
    "gitlab.io",
    "glitch.me",
    "googleapis.com",
    "herokuapp.com",
    "loca.lt",
    "netlify.app",
    "ngrok-free.app",
    "ngrok.app",
    "ngrok.io",
    "on.aws",
    "onrender.com",
    "pages.dev",
    "r2.dev",
    "run.app",
    "surge.sh",
    "trycloudflare.com",
    "vercel.app",
    "web.app",
    "workers.dev",
];

/// Whether names below this domain belong to whoever registers them. A domain of one label always is one.
pub(super) fn is_anyones(domain: &str) -> bool {
    match domain.split_once('.') {
        None => true,
        Some((second, top)) if top.len() == 2 && SECOND_LEVEL.contains(&second) => true,
        // Regions and services stand before some of them: `s3.eu-west-1.amazonaws.com`.
        Some(_) => {
            HOSTING.iter().any(|host| domain.strip_suffix(host).is_some_and(|p| p.is_empty() || p.ends_with('.')))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_of_everyone_and_of_someone() {
        for domain in
            ["com", "internal", "co.uk", "com.au", "or.jp", "github.io", "s3.eu-west-1.amazonaws.com", "r2.dev"]
        {
            assert!(is_anyones(domain), "{domain}");
        }
        for domain in ["example.com", "example.co.uk", "co.example", "evilgithub.io", "api.github.com", "co.com"] {
            assert!(!is_anyones(domain), "{domain}");
        }
    }
}
