//! Pages of keys, in order.

use std::fmt;
use std::sync::Arc;

use futures::TryStreamExt as _;
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path;
use object_store::{Error, ObjectMeta, ObjectStore};

/// The largest page size that every store supports.
const PAGE: usize = 1_000;

/// How a store is listed.
#[derive(Clone)]
pub(crate) enum Lister {
    /// Page by page, with any prefix.
    Paged(Arc<dyn PaginatedListStore>),
    /// The whole list at once: a store in memory.
    Whole(Arc<dyn ObjectStore>),
}

impl fmt::Debug for Lister {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Paged(_) => "Paged",
            Self::Whole(_) => "Whole",
        })
    }
}

impl Lister {
    /// At most `limit` objects accepted by `keep`, under `prefix` and after `after`, and whether
    /// more may follow. One request, unless a page that is not the last contains none of them.
    pub(crate) async fn page(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        keep: impl Fn(&ObjectMeta) -> bool,
    ) -> Result<(Vec<ObjectMeta>, bool), Error> {
        // A key that is not below the prefix cannot be the start of the page.
        let after = after.filter(|after| *after >= prefix);
        if after.is_some_and(|after| !after.starts_with(prefix)) {
            return Ok((Vec::new(), false));
        }
        let (mut rows, mut more) = match self {
            Self::Paged(store) => paged(&**store, prefix, after, limit, &keep).await?,
            Self::Whole(store) => (whole(&**store, prefix).await?, false),
        };
        rows.retain(|row| after.is_none_or(|after| row.location.as_ref() > after) && keep(row));
        more |= rows.len() > limit;
        rows.truncate(limit);
        Ok((rows, more))
    }
}

async fn paged(
    store: &dyn PaginatedListStore,
    prefix: &str,
    after: Option<&str>,
    limit: usize,
    keep: impl Fn(&ObjectMeta) -> bool,
) -> Result<(Vec<ObjectMeta>, bool), Error> {
    // One more: Azure starts with `after` itself, and the crate removes that key from the page.
    let keys = limit.saturating_add(usize::from(after.is_some()));
    let (mut rows, mut token) = (Vec::new(), None);
    loop {
        let options = PaginatedListOptions {
            offset: after.map(ToOwned::to_owned),
            max_keys: Some(keys.clamp(1, PAGE)),
            page_token: token.take(),
            ..PaginatedListOptions::default()
        };
        let prefix = Some(prefix).filter(|prefix| !prefix.is_empty());
        let page = store.list_paginated(prefix, options).await?;
        rows.extend(page.result.objects.into_iter().filter(&keep));
        token = page.page_token;
        if !rows.is_empty() || token.is_none() {
            return Ok((rows, token.is_some()));
        }
    }
}

async fn whole(store: &dyn ObjectStore, prefix: &str) -> Result<Vec<ObjectMeta>, Error> {
    let folder = prefix
        .rsplit_once('/')
        .map(|(folder, _)| Path::parse(folder));
    let folder = folder.transpose().map_err(Error::from)?;
    let mut rows: Vec<ObjectMeta> = store.list(folder.as_ref()).try_collect().await?;
    rows.retain(|row| row.location.as_ref().starts_with(prefix));
    rows.sort_by(|a, b| a.location.cmp(&b.location));
    Ok(rows)
}
