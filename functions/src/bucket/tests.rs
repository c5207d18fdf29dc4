//! Locations by URL, and the errors for other URLs.

use super::Location;
use super::table::SCHEMES;

fn refused(url: &str) -> String {
    url.parse::<Location>().expect_err(url).to_string()
}

#[test]
fn urls_name_files_as_people_write_them() {
    for (url, named) in [
        ("sqlite:./pond.db", "sqlite:./pond.db"),
        ("sqlite:/srv/pond.db", "sqlite:/srv/pond.db"),
        ("sqlite:///srv/pond.db", "sqlite:/srv/pond.db"),
        (
            "sqlite:/srv/my data/a%20b#c.db",
            "sqlite:/srv/my data/a%20b#c.db",
        ),
    ] {
        let location: Location = url.parse().expect(url);
        assert_eq!(location.to_string(), named);
        assert!(!location.is_far() && !location.is_private());
        assert_eq!(location.root(), None);
        #[cfg(unix)]
        assert!(location.bells().is_some());
    }
    let memory: Location = "memory:".parse().unwrap();
    assert_eq!(memory.to_string(), "memory:");
    assert!(memory.is_private() && !memory.is_far() && memory.bells().is_none());
}

#[test]
fn a_url_that_names_no_bucket_is_refused_with_those_that_do() {
    for url in [
        "pond",
        "file:./pond",
        "file:///srv/pond",
        "sqlite:",
        "sqlite://",
        "sqlite://host/pond.db",
        "sqlite:~/pond.db",
        "sqlite::memory:",
        "sqlite:file:pond.db",
        "sqlite:./pond.db?mode=ro",
        "sqlite:~",
        "sqlite:~root/pond.db",
        "memory:x",
        "memory:?x",
        "memory://",
        "s3://b/p",
        "s3://pond?secret=x",
        "s3://po nd",
        "gs://pond?x",
        "ftp://x",
        "",
    ] {
        let error = refused(url);
        assert!(error.contains("`sqlite:./file.db`"), "{error}");
        assert!(error.contains("`memory:`"), "{error}");
    }
}

#[test]
fn a_folder_is_refused_with_what_takes_its_place() {
    let error = refused("file:./pond");
    assert!(error.contains("`sqlite:./pond.db`"), "{error}");
    assert!(error.contains("bucket export"), "{error}");
}

#[test]
fn every_scheme_has_an_example_of_its_own_and_a_line_in_the_reference() {
    let reference = include_str!("../../../docs/cli.md");
    for scheme in SCHEMES {
        let begins = format!("{}:", scheme.name);
        assert!(scheme.example.starts_with(&begins), "{scheme:?}");
        assert!(reference.contains(&format!("`{begins}")), "{begins}");
        match scheme.parse {
            Ok(_) => {
                let location: Location = scheme.example.parse().expect(scheme.example);
                assert_eq!(location.to_string(), scheme.example);
                assert!(refused("ftp://x").contains(scheme.example));
            }
            Err(feature) => {
                let error = refused(scheme.example);
                assert!(error.contains(&format!("`{feature}`")), "{error}");
            }
        }
    }
}

#[cfg(feature = "s3")]
#[test]
fn a_url_of_s3_is_shown_as_it_was_and_no_secret_is_repeated() {
    let url = "s3://pond/team?endpoint=http://127.0.0.1:9000&region=x";
    let location: Location = url.parse().unwrap();
    assert_eq!(location.to_string(), url);
    assert!(location.is_far());
    assert_eq!(location.root(), Some(("pond", "team/")));
    for url in ["s3://id:hush@pond/team", "s3://id:hush@po nd/team"] {
        let error = refused(url);
        assert!(!error.contains("hush"), "{error}");
    }
    assert!(refused("s3://id:hush@pond/team").contains("credentials"));
}

#[cfg(feature = "object-store")]
#[test]
fn clouds_are_named_as_their_urls_and_are_far() {
    for url in ["gs://pond/prefix", "az://acme/pond"] {
        let location: Location = url.parse().expect(url);
        assert_eq!(location.to_string(), url);
        assert!(location.is_far());
    }
    assert!(refused("az://acme").contains("no bucket"));
}
