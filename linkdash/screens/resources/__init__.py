"""The screens of the resources, one file each, thin where nothing differs."""
