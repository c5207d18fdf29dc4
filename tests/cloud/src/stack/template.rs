//! An expanded template, and the resolution of its references.

use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value};

use crate::stack::StackError;
use crate::{ACCOUNT, REGION};

/// The resource types that the emulated cloud creates.
const MADE: [&str; 9] = [
    "AWS::IAM::Role",
    "AWS::Lambda::EventSourceMapping",
    "AWS::Lambda::Function",
    "AWS::Lambda::Url",
    "AWS::S3::Bucket",
    "AWS::S3::BucketPolicy",
    "AWS::SQS::Queue",
    "AWS::SQS::QueuePolicy",
    "AWS::Scheduler::Schedule",
];

/// The resource types that it does not need: names, logs, alarms, and permissions of AWS's own
/// services.
const BESIDE: [&str; 7] = [
    "AWS::CloudWatch::Alarm",
    "AWS::CloudWatch::Dashboard",
    "AWS::Lambda::Alias",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Lambda::Permission",
    "AWS::Lambda::Version",
    "AWS::Logs::LogGroup",
];

/// An expanded template.
#[derive(Debug, Clone)]
pub struct Template {
    pub(crate) stack: String,
    resources: Map<String, Value>,
}

impl Template {
    /// Expands `infra/template.yaml` for a stack and a bucket, with values of its parameters.
    ///
    /// # Errors
    /// [`StackError`] if `infra/expand` fails, and the errors of [`Template::new`].
    pub fn expand(
        stack: &str,
        bucket: &str,
        parameters: &[(&str, &str)],
    ) -> Result<Self, StackError> {
        let expand = |why: String| StackError::Expand { why };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../infra/expand");
        let own = [
            ("BucketName", bucket),
            ("AWS::StackName", stack),
            ("AWS::AccountId", ACCOUNT),
            ("AWS::Region", REGION),
        ];
        let values = own
            .iter()
            .chain(parameters)
            .map(|(name, value)| format!("{name}={value}"));
        let done = Command::new(script).args(values).output();
        let done = done.map_err(|error| expand(error.to_string()))?;
        if !done.status.success() {
            return Err(expand(String::from_utf8_lossy(&done.stderr).into_owned()));
        }
        let value =
            serde_json::from_slice(&done.stdout).map_err(|error| expand(error.to_string()))?;
        Self::new(stack, value)
    }

    /// Parses the expanded template `value`.
    ///
    /// # Errors
    /// [`StackError`] names an unsupported type of resource.
    pub fn new(stack: &str, mut value: Value) -> Result<Self, StackError> {
        let Value::Object(resources) = value["Resources"].take() else {
            return Err(StackError::Expand {
                why: "no resources".to_owned(),
            });
        };
        for (resource, value) in &resources {
            let kind = value["Type"].as_str().unwrap_or_default();
            if !MADE.contains(&kind) && !BESIDE.contains(&kind) {
                let (resource, kind) = (resource.clone(), kind.to_owned());
                return Err(StackError::Kind { resource, kind });
            }
        }
        Ok(Self {
            stack: stack.to_owned(),
            resources,
        })
    }

    /// Sets a property of a resource, by its path: `["DefaultQueue", "VisibilityTimeout"]`.
    ///
    /// # Panics
    /// If there is no such resource.
    pub fn set(&mut self, path: &[&str], value: impl Into<Value>) {
        let (resource, path) = path.split_first().expect("the path begins with a resource");
        let place = self
            .resources
            .get_mut(*resource)
            .expect("the template has the resource");
        let place = path
            .iter()
            .fold(&mut place["Properties"], |place, name| &mut place[*name]);
        *place = value.into();
    }

    /// All resources of a type, with their names and properties.
    pub(crate) fn of_type(&self, kind: &str) -> impl Iterator<Item = (&String, &Value)> {
        let all = self
            .resources
            .iter()
            .filter(move |(_, value)| value["Type"] == kind);
        all.map(|(name, value)| (name, &value["Properties"]))
    }

    /// A value with its references replaced.
    pub(crate) fn resolve(&self, value: &Value) -> Result<Value, StackError> {
        match value {
            Value::Array(all) => all.iter().map(|each| self.resolve(each)).collect(),
            Value::Object(fields) => match fields.iter().next() {
                Some((name, of)) if fields.len() == 1 && name == "Ref" => self.reference(of),
                Some((name, of)) if fields.len() == 1 && name == "Fn::GetAtt" => self.attribute(of),
                Some((name, _)) if fields.len() == 1 && name.starts_with("Fn::") => {
                    Err(StackError::Intrinsic(value.to_string()))
                }
                _ => {
                    let fields = fields
                        .iter()
                        .map(|(name, each)| Ok((name.clone(), self.resolve(each)?)));
                    fields.collect::<Result<Map<_, _>, _>>().map(Value::Object)
                }
            },
            plain => Ok(plain.clone()),
        }
    }

    /// Resolves a value, as text.
    pub(crate) fn text(
        &self,
        resource: &str,
        properties: &Value,
        property: &'static str,
    ) -> Result<String, StackError> {
        match self.resolve(&properties[property])? {
            Value::String(text) => Ok(text),
            _ => Err(StackError::Property {
                resource: resource.to_owned(),
                property,
            }),
        }
    }

    /// The resource of a function's ARN or name, or of its alias.
    pub(crate) fn function(&self, called: &str) -> Result<&String, StackError> {
        let mut all = self.of_type("AWS::Lambda::Function");
        let found = all.find(|(resource, properties)| {
            let name = self.named(resource, properties, "FunctionName");
            let arn = format!("arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}");
            called == name || called == arn || called.starts_with(&format!("{arn}:"))
        });
        found
            .map(|(resource, _)| resource)
            .ok_or_else(|| StackError::Reference(called.to_owned()))
    }

    /// A resource's physical name: the one in the template, or one derived from the stack.
    pub(crate) fn named(&self, resource: &str, properties: &Value, property: &str) -> String {
        let own = || format!("{}-{resource}", self.stack);
        properties[property]
            .as_str()
            .map_or_else(own, str::to_owned)
    }

    fn find(&self, resource: &str) -> Result<(&str, &Value), StackError> {
        let found = self
            .resources
            .get(resource)
            .ok_or_else(|| StackError::Reference(resource.to_owned()))?;
        Ok((
            found["Type"].as_str().unwrap_or_default(),
            &found["Properties"],
        ))
    }

    fn reference(&self, of: &Value) -> Result<Value, StackError> {
        let resource = of.as_str().unwrap_or_default();
        let (kind, properties) = self.find(resource)?;
        let text = match kind {
            "AWS::Lambda::Function" => self.named(resource, properties, "FunctionName"),
            "AWS::Lambda::Alias" => {
                let name = self.text(resource, properties, "FunctionName")?;
                let alias = self.text(resource, properties, "Name")?;
                format!("arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}:{alias}")
            }
            "AWS::S3::Bucket" => self.named(resource, properties, "BucketName"),
            "AWS::SQS::Queue" => {
                let name = self.named(resource, properties, "QueueName");
                format!("https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/{name}")
            }
            _ => return Err(StackError::Reference(format!("Ref {resource}"))),
        };
        Ok(text.into())
    }

    fn attribute(&self, of: &Value) -> Result<Value, StackError> {
        let unknown = || StackError::Reference(format!("GetAtt {of}"));
        let (resource, attribute) = match of {
            Value::Array(parts) => (
                parts.first().and_then(Value::as_str),
                parts.get(1).and_then(Value::as_str),
            ),
            other => other.as_str().and_then(|text| text.split_once('.')).unzip(),
        };
        let resource = resource.ok_or_else(unknown)?;
        let (kind, properties) = self.find(resource)?;
        let name = |property| self.named(resource, properties, property);
        let text = match (kind, attribute.unwrap_or_default()) {
            ("AWS::Lambda::Function", "Arn") => {
                format!(
                    "arn:aws:lambda:{REGION}:{ACCOUNT}:function:{}",
                    name("FunctionName")
                )
            }
            ("AWS::S3::Bucket", "Arn") => format!("arn:aws:s3:::{}", name("BucketName")),
            ("AWS::SQS::Queue", "Arn") => {
                format!("arn:aws:sqs:{REGION}:{ACCOUNT}:{}", name("QueueName"))
            }
            ("AWS::SQS::Queue", "QueueName") => name("QueueName"),
            ("AWS::IAM::Role", "Arn") => {
                format!("arn:aws:iam::{ACCOUNT}:role/{}", name("RoleName"))
            }
            _ => return Err(unknown()),
        };
        Ok(text.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn template() -> Template {
        let value = json!({"Resources": {
            "Queue": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "q"}},
            "Worker": {"Type": "AWS::Lambda::Function", "Properties": {}},
            "Live": {"Type": "AWS::Lambda::Alias", "Properties": {"Name": "live", "FunctionName": {"Ref": "Worker"}}},
        }});
        Template::new("pond", value).expect("all kinds are known")
    }

    #[test]
    fn references_become_names_and_arns() {
        let template = template();
        let value = json!({"a": [{"Ref": "Queue"}, {"Fn::GetAtt": ["Queue", "Arn"]}], "b": {"Ref": "Live"}, "c": 1});
        let expected = json!({
            "a": ["https://sqs.us-east-1.amazonaws.com/000000000000/q", "arn:aws:sqs:us-east-1:000000000000:q"],
            "b": "arn:aws:lambda:us-east-1:000000000000:function:pond-Worker:live",
            "c": 1,
        });
        let resolved = template.resolve(&value).expect("all is there");
        assert_eq!(resolved, expected);
        let alias = resolved["b"].as_str().expect("it is text");
        assert_eq!(
            template.function(alias).expect("it is the worker's"),
            "Worker"
        );
        assert!(
            template
                .function("arn:aws:lambda:us-east-1:000000000000:function:pond-Work")
                .is_err()
        );
    }

    #[test]
    fn what_is_not_known_is_refused_by_name() {
        let template = template();
        for value in [
            json!({"Ref": "Absent"}),
            json!({"Fn::GetAtt": ["Queue", "Color"]}),
            json!({"Fn::Sub": "${Queue}"}),
        ] {
            assert!(template.resolve(&value).is_err(), "{value}");
        }
        let table = json!({"Resources": {"T": {"Type": "AWS::DynamoDB::Table"}}});
        let error = Template::new("pond", table)
            .expect_err("no such thing here")
            .to_string();
        assert!(error.contains("AWS::DynamoDB::Table"), "{error}");
    }

    #[test]
    fn a_property_can_be_set() {
        let mut template = template();
        template.set(&["Queue", "VisibilityTimeout"], 3);
        let (_, properties) = template
            .of_type("AWS::SQS::Queue")
            .next()
            .expect("there is one");
        assert_eq!(properties["VisibilityTimeout"], 3);
    }
}
