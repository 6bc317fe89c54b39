"""Generated programs against independent derivatives: program shapes times inputs."""
