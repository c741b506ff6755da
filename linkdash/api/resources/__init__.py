"""The resources of the service: records, request bodies and endpoints, one file each."""
