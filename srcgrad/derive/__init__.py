"""From normal form to derivative code: adjoint and tangent."""
