package flowhooks

// Version of this package, which is that of the service.
const Version = "1.0.0"
