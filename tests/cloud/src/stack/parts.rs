//! Queues and the bucket, created on the server.

use std::collections::BTreeMap;

use aws_sdk_s3::error::DisplayErrorContext;
use aws_sdk_s3::types::{
    Event, FilterRule, FilterRuleName, NotificationConfiguration, NotificationConfigurationFilter,
    QueueConfiguration, S3KeyFilter,
};
use serde_json::Value;

use crate::aws;
use crate::queue::{Attributes, Queue};
use crate::stack::{StackError, Template};

/// Properties of a queue that are also SQS attributes.
const ATTRIBUTES: [&str; 7] = [
    "DelaySeconds",
    "MaximumMessageSize",
    "MessageRetentionPeriod",
    "ReceiveMessageWaitTimeSeconds",
    "RedriveAllowPolicy",
    "RedrivePolicy",
    "VisibilityTimeout",
];

/// Creates all queues, starting with those that serve as dead-letter queues.
pub(crate) async fn queues(
    server: &str,
    template: &Template,
) -> Result<BTreeMap<String, Queue>, StackError> {
    let client = aws::sqs(server);
    let mut queues = BTreeMap::new();
    for redriven in [false, true] {
        let all = template.of_type("AWS::SQS::Queue");
        for (resource, properties) in
            all.filter(|(_, each)| each["RedrivePolicy"].is_null() != redriven)
        {
            let mut attributes = Attributes::new();
            for name in ATTRIBUTES {
                match template.resolve(&properties[name])? {
                    Value::Null => continue,
                    Value::String(text) => attributes.insert(name.to_owned(), text),
                    value => attributes.insert(name.to_owned(), value.to_string()),
                };
            }
            let name = template.named(resource, properties, "QueueName");
            queues.insert(
                resource.clone(),
                Queue::create(&client, &name, &attributes).await,
            );
        }
    }
    Ok(queues)
}

/// Creates the bucket with some objects, which cause no notifications, and then its notification
/// configuration; returns its name.
pub(crate) async fn bucket(
    server: &str,
    template: &Template,
    objects: &BTreeMap<String, String>,
) -> Result<String, StackError> {
    let mut all = template.of_type("AWS::S3::Bucket");
    let Some((resource, properties)) = all.next() else {
        return Err(StackError::Reference("a bucket".to_owned()));
    };
    let name = template.named(resource, properties, "BucketName");
    let client = aws::s3(server);
    if let Err(error) = client.create_bucket().bucket(&name).send().await {
        panic!("S3 makes no bucket: {}", DisplayErrorContext(error));
    }
    for (key, body) in objects {
        let put = client.put_object().bucket(&name).key(key);
        let put = put.body(body.clone().into_bytes().into()).send().await;
        if let Err(error) = put {
            panic!("S3 takes no object: {}", DisplayErrorContext(error));
        }
    }
    let notifications = template.resolve(&properties["NotificationConfiguration"])?;
    let mut configuration = NotificationConfiguration::builder();
    for each in notifications["QueueConfigurations"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let malformed = || StackError::Property {
            resource: resource.clone(),
            property: "NotificationConfiguration",
        };
        configuration =
            configuration.queue_configurations(notification(each).ok_or_else(malformed)?);
    }
    let set = client.put_bucket_notification_configuration().bucket(&name);
    if let Err(error) = set
        .notification_configuration(configuration.build())
        .send()
        .await
    {
        panic!("S3 sets no notifications: {}", DisplayErrorContext(error));
    }
    Ok(name)
}

fn notification(value: &Value) -> Option<QueueConfiguration> {
    let rules = value["Filter"]["S3Key"]["Rules"]
        .as_array()
        .into_iter()
        .flatten();
    let rules = rules.map(|rule| {
        let name = FilterRuleName::from(rule["Name"].as_str()?);
        Some(
            FilterRule::builder()
                .name(name)
                .value(rule["Value"].as_str()?)
                .build(),
        )
    });
    let key = S3KeyFilter::builder().set_filter_rules(Some(rules.collect::<Option<_>>()?));
    let filter = NotificationConfigurationFilter::builder()
        .key(key.build())
        .build();
    QueueConfiguration::builder()
        .queue_arn(value["Queue"].as_str()?)
        .events(Event::from(value["Event"].as_str()?))
        .filter(filter)
        .build()
        .ok()
}
