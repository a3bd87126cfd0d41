//! Packing a component that says itself what it is.

use super::{Host, LoadError};
use crate::component::LoadLimits;
use crate::pack::{self, PackError, Package};
use crate::policy::Approved;
use crate::sandbox::DescribeProgram;

/// Why no tool came out of a component that was to describe itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DescribeError {
    /// It cannot be packed, with a manifest or without.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// It cannot be run.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It ran, and gave no manifest: its own reasons, or how it ended.
    #[error("the component has no manifest:\n{reasons}")]
    Silent {
        /// One a line. The component's own texts.
        reasons: String,
    },
}

impl Host {
    /// [`pack`](crate::pack()) a component that says its manifest itself, as those made with a kit do: it is run once, sealed
    /// and under the standard limits of a projector. `package` has the last word, and the only one on capabilities.
    ///
    /// # Errors
    /// See [`DescribeError`].
    pub async fn pack(&self, input: &[u8], package: &Package, limits: &LoadLimits) -> Result<Vec<u8>, DescribeError> {
        let inspected = pack::to_describe(input, package, limits)?;
        let host = Self { lock: None, ..self.clone() };
        let approved = Approved::for_projecting(inspected, self.memory_bytes);
        let program = host.linked::<DescribeProgram>(approved, |_| ()).await?;
        let _slot = self.engine.slot(0).await;
        let _ticking = self.engine.ticking();
        let said = program.ask().await.map_err(|stop| DescribeError::Silent { reasons: stop.to_string() })?;
        Ok(pack::described(input, &said, package, limits)?)
    }
}
