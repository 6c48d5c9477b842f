"""The decision side of the screens: what people do with alerts, each part in a file of its own."""
