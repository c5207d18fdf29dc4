//! The actions and resources of an HTTP request to S3 or SQS.

use std::borrow::Cow;

use hyper::http::request::Parts;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::policy::condition::Context;

/// One action on one resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    /// Such as `s3:GetObject`.
    pub action: String,
    /// The resource's ARN.
    pub resource: String,
    /// The values that conditions can test, by lower-case key.
    pub context: Context,
}

/// An unknown request: no policy can allow it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no action is known for the request: {0}")]
pub struct UnknownRequest(pub String);

impl Access {
    /// An action on a resource. The transport counts as TLS, as it would be to AWS.
    #[must_use]
    pub fn new(action: &str, resource: &str) -> Self {
        let context = [
            ("aws:securetransport", "true"),
            ("aws:principalaccount", crate::ACCOUNT),
            ("aws:resourceaccount", crate::ACCOUNT),
        ];
        let context = context.map(|(key, value)| (key.to_owned(), value.to_owned()));
        Self {
            action: action.to_owned(),
            resource: resource.to_owned(),
            context: context.into(),
        }
    }

    fn with(mut self, key: &str, value: Option<impl Into<String>>) -> Self {
        self.context
            .extend(value.map(|value| (key.to_owned(), value.into())));
        self
    }
}

/// The accesses of a request; more than one if it deletes several objects or copies one.
///
/// # Errors
/// [`UnknownRequest`]: Millpond sends no such request to S3 or SQS.
pub fn accesses(request: &Parts, body: &[u8]) -> Result<Vec<Access>, UnknownRequest> {
    match header(request, "x-amz-target") {
        Some(target) => sqs(&target, body).map(|access| vec![access]),
        None => s3(request, body),
    }
}

fn sqs(target: &str, body: &[u8]) -> Result<Access, UnknownRequest> {
    let unknown = || UnknownRequest(target.to_owned());
    let operation = target.strip_prefix("AmazonSQS.").ok_or_else(unknown)?;
    // IAM has no separate actions for batches.
    let action = operation.strip_suffix("Batch").unwrap_or(operation);
    let body: Value = serde_json::from_slice(body).map_err(|_| unknown())?;
    let name = match (body["QueueUrl"].as_str(), body["QueueName"].as_str()) {
        (Some(url), _) => url.rsplit('/').next().unwrap_or_default(),
        (None, Some(name)) => name,
        (None, None) => return Err(unknown()),
    };
    let (region, account) = (crate::REGION, crate::ACCOUNT);
    Ok(Access::new(
        &format!("sqs:{action}"),
        &format!("arn:aws:sqs:{region}:{account}:{name}"),
    ))
}

fn s3(request: &Parts, body: &[u8]) -> Result<Vec<Access>, UnknownRequest> {
    let path = percent_decode_str(request.uri.path()).decode_utf8_lossy();
    let path = path.trim_start_matches('/');
    let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
    let query = Query::of(request.uri.query().unwrap_or_default());
    let bucket_arn = format!("arn:aws:s3:::{bucket}");
    let object_arn = format!("{bucket_arn}/{key}");
    let unknown = || UnknownRequest(format!("{} {}", request.method, request.uri));
    let on_object = |action: &str| {
        Access::new(action, &object_arn)
            .with("s3:if-match", header(request, "if-match"))
            .with("s3:if-none-match", header(request, "if-none-match"))
            .with(
                "s3:x-amz-server-side-encryption",
                header(request, "x-amz-server-side-encryption"),
            )
    };
    let versioned = |plain: &str, version: &str| match query.get("versionId") {
        Some(_) => on_object(version),
        None => on_object(plain),
    };
    let one = match (request.method.as_str(), bucket.is_empty(), key.is_empty()) {
        ("GET", true, true) => Access::new("s3:ListAllMyBuckets", "*"),
        ("POST", false, true) if query.has("delete") => {
            return deletes(&bucket_arn, body).ok_or_else(unknown);
        }
        (method, false, true) => bucket_action(method, &query, &bucket_arn).ok_or_else(unknown)?,
        ("GET" | "HEAD", false, false)
            if !query.has_other_than(&["versionId", "x-id", "partNumber"]) =>
        {
            versioned("s3:GetObject", "s3:GetObjectVersion")
        }
        ("DELETE", false, false) if query.has("uploadId") => on_object("s3:AbortMultipartUpload"),
        ("DELETE", false, false) if !query.has_other_than(&["versionId", "x-id"]) => {
            versioned("s3:DeleteObject", "s3:DeleteObjectVersion")
        }
        // In a multipart upload, the last request creates the object.
        ("POST", false, false) if query.has("uploads") || query.has("uploadId") => {
            creating(on_object("s3:PutObject"), query.has("uploadId"))
        }
        ("PUT", false, false) if !query.has_other_than(&["x-id", "uploadId", "partNumber"]) => {
            let put = creating(on_object("s3:PutObject"), !query.has("partNumber"));
            let Some(source) = header(request, "x-amz-copy-source") else {
                return Ok(vec![put]);
            };
            let source = percent_decode_str(source.trim_start_matches('/')).decode_utf8_lossy();
            let source = Access::new("s3:GetObject", &format!("arn:aws:s3:::{source}"));
            return Ok(vec![put, source]);
        }
        _ => return Err(unknown()),
    };
    Ok(vec![one])
}

fn bucket_action(method: &str, query: &Query<'_>, arn: &str) -> Option<Access> {
    let listing = [
        "list-type",
        "prefix",
        "delimiter",
        "max-keys",
        "start-after",
        "continuation-token",
        "encoding-type",
        "fetch-lease",
        "marker",
        "x-id",
    ];
    let action = match method {
        "GET" | "HEAD" if !query.has_other_than(&listing) => "s3:ListBucket",
        "GET" if query.has("versioning") => "s3:GetBucketVersioning",
        "GET" if query.has("lifecycle") => "s3:GetLifecycleConfiguration",
        "GET" if query.has("location") => "s3:GetBucketLocation",
        _ => return None,
    };
    let access = Access::new(action, arn)
        .with("s3:prefix", query.get("prefix"))
        .with("s3:delimiter", query.get("delimiter"))
        .with("s3:max-keys", query.get("max-keys"));
    Some(access)
}

/// A write, and whether it creates an object by itself.
fn creating(access: Access, creates: bool) -> Access {
    access.with("s3:objectcreationoperation", Some(creates.to_string()))
}

/// The keys of a multi-object delete: each is an access of its own.
fn deletes(bucket: &str, body: &[u8]) -> Option<Vec<Access>> {
    let body = std::str::from_utf8(body).ok()?;
    let keys = body.split("<Key>").skip(1).map(|rest| {
        let key = rest.split_once("</Key>")?.0;
        let key = [
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&apos;", "'"),
            ("&amp;", "&"),
        ]
        .into_iter()
        .fold(key.to_owned(), |key, (written, meant)| {
            key.replace(written, meant)
        });
        Some(Access::new("s3:DeleteObject", &format!("{bucket}/{key}")))
    });
    keys.collect()
}

/// The parts of a query.
struct Query<'q>(Vec<(Cow<'q, str>, Cow<'q, str>)>);

impl<'q> Query<'q> {
    fn of(query: &'q str) -> Self {
        let decoded = |text: &'q str| percent_decode_str(text).decode_utf8_lossy();
        let parts = query.split('&').filter(|part| !part.is_empty());
        let parts = parts.map(|part| part.split_once('=').unwrap_or((part, "")));
        Self(
            parts
                .map(|(name, value)| (decoded(name), decoded(value)))
                .collect(),
        )
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(each, _)| each == name)
            .map(|(_, value)| value.as_ref())
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn has_other_than(&self, known: &[&str]) -> bool {
        self.0
            .iter()
            .any(|(name, _)| !known.contains(&name.as_ref()))
    }
}

fn header(request: &Parts, name: &str) -> Option<String> {
    let value = request.headers.get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn asked(
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<Vec<Access>, UnknownRequest> {
        let mut request = Request::builder().method(method).uri(uri);
        for &(name, value) in headers {
            request = request.header(name, value);
        }
        let (parts, ()) = request.body(()).expect("it is well-formed").into_parts();
        accesses(&parts, body.as_bytes())
    }

    fn one(method: &str, uri: &str, headers: &[(&str, &str)]) -> Access {
        let mut all = asked(method, uri, headers, "").expect("it is known");
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    #[test]
    fn requests_for_objects_are_named_with_their_keys_decoded() {
        for (method, uri, action) in [
            ("GET", "/pond/x/a%20b?x-id=GetObject", "s3:GetObject"),
            ("HEAD", "/pond/x/a%20b", "s3:GetObject"),
            ("GET", "/pond/x/a%20b?versionId=1", "s3:GetObjectVersion"),
            ("PUT", "/pond/x/a%20b?x-id=PutObject", "s3:PutObject"),
            (
                "DELETE",
                "/pond/x/a%20b?x-id=DeleteObject",
                "s3:DeleteObject",
            ),
            (
                "DELETE",
                "/pond/x/a%20b?uploadId=1",
                "s3:AbortMultipartUpload",
            ),
        ] {
            let access = one(method, uri, &[]);
            assert_eq!(
                (access.action.as_str(), access.resource.as_str()),
                (action, "arn:aws:s3:::pond/x/a b")
            );
        }
    }

    #[test]
    fn the_conditions_of_a_write_are_in_its_context() {
        let create = one("PUT", "/pond/h", &[("if-none-match", "*")]);
        assert_eq!(create.context["s3:if-none-match"], "*");
        assert!(!create.context.contains_key("s3:if-match"));
        let replace = one("PUT", "/pond/h", &[("if-match", "\"e\"")]);
        assert_eq!(replace.context["s3:if-match"], "\"e\"");
        let creates = |access: Access| access.context["s3:objectcreationoperation"].clone();
        assert_eq!(creates(replace), "true");
        let part = one("PUT", "/pond/h?partNumber=1&uploadId=2", &[]);
        assert_eq!(creates(part), "false");
    }

    #[test]
    fn a_list_is_of_the_bucket_with_its_prefix_in_the_context() {
        let list = one(
            "GET",
            "/pond?list-type=2&prefix=mail%2Fdefault%2F&max-keys=1000",
            &[],
        );
        assert_eq!(
            (list.action.as_str(), list.resource.as_str()),
            ("s3:ListBucket", "arn:aws:s3:::pond")
        );
        assert_eq!(list.context["s3:prefix"], "mail/default/");
        assert_eq!(
            one("GET", "/pond/?lifecycle", &[]).action,
            "s3:GetLifecycleConfiguration"
        );
    }

    #[test]
    fn several_deletes_are_several_accesses_and_a_copy_reads_its_source() {
        let body =
            "<Delete><Object><Key>a&amp;b</Key></Object><Object><Key>c</Key></Object></Delete>";
        let all = asked("POST", "/pond?delete", &[], body).expect("it is known");
        let all: Vec<_> = all.iter().map(|access| access.resource.as_str()).collect();
        assert_eq!(all, ["arn:aws:s3:::pond/a&b", "arn:aws:s3:::pond/c"]);
        let copy = asked(
            "PUT",
            "/pond/to",
            &[("x-amz-copy-source", "/pond/fr%20om")],
            "",
        );
        let copy = copy.expect("it is known");
        assert_eq!(
            copy[1],
            Access::new("s3:GetObject", "arn:aws:s3:::pond/fr om")
        );
    }

    #[test]
    fn queues_are_named_by_their_urls() {
        for (operation, action) in [
            ("SendMessage", "sqs:SendMessage"),
            ("SendMessageBatch", "sqs:SendMessage"),
        ] {
            let target = format!("AmazonSQS.{operation}");
            let body = r#"{"QueueUrl":"http://sqs.us-east-1.example:4566/000000000000/q"}"#;
            let all = asked("POST", "/", &[("x-amz-target", &target)], body).expect("it is known");
            assert_eq!(
                all,
                [Access::new(action, "arn:aws:sqs:us-east-1:000000000000:q")]
            );
        }
    }

    #[test]
    fn unknown_workflows_are_an_error() {
        for (method, uri) in [
            ("GET", "/pond/k?acl"),
            ("PUT", "/pond?versioning"),
            ("PATCH", "/pond/k"),
            ("PUT", "/pond/k?tagging"),
        ] {
            assert!(asked(method, uri, &[], "").is_err(), "{method} {uri}");
        }
        assert!(asked("POST", "/", &[("x-amz-target", "DynamoDB.GetItem")], "{}").is_err());
    }
}
