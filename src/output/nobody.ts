/**
 * An authority that has signed nothing: what nginx is given to trust on a machine without any, so that a configuration that asks for
 * the machine's authorities is one, and trusts nobody. Its key was never kept.
 */
export const NOBODY = `-----BEGIN CERTIFICATE-----
MIIBiDCCAS2gAwIBAgIUBfTkcPqOOEzoWZYmR6SjA2rF8powCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGbm9ib2R5MB4XDTI2MTEyMTE4MDEzM1oXDTI2MTEyMjE4MDEz
M1owETEPMA0GA1UEAwwGbm9ib2R5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
m5ah5JXFOpNqjh5LlFbFk35RW1ykb7txR3WSe6MhTls2OCbuUTPjVgH5UGvgCc8M
sNW06NiuQA9fK5r3Y3usGKNjMGEwHQYDVR0OBBYEFCvok6VCrppAmvUY6TAtSFEs
PoKjMB8GA1UdIwQYMBaAFCvok6VCrppAmvUY6TAtSFEsPoKjMA8GA1UdEwEB/wQF
MAMBAf8wDgYDVR0PAQH/BAQDAgECMAoGCCqGSM49BAMCA0kAMEYCIQCgb9KHg0XJ
MOm9IZvK3zaJcNuqIHrGN+J92HdXsUBAdwIhALGQWex7qzLGiRSCDtjGohxiEp1W
+8p3JBFSv1RqLdGo
-----END CERTIFICATE-----
`;
