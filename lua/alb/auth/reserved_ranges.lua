--- Addresses that auth services of tenants can't have, generated from src/translate/auth/reserved-addresses.ts.
-- May yield: no. Pure.
return {
    "127.0.0.0/8",
    "0.0.0.0/8",
    "169.254.0.0/16",
    "::/96",
    "fe80::/10",
    "fd00:ec2::254/128",
    "fd20:ce::254/128",
    "64:ff9b::7f00:0/104",
    "64:ff9b::/104",
    "64:ff9b::a9fe:0/112",
}
