"""What commands and screens share: each service composes the method with the warehouse for one job."""
