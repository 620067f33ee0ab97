/** The mark of AI-generated content that a stored file carries. */

/** Content Credentials, the IPTC digital source type, or nothing. */
export type Provenance = "c2pa" | "iptc" | "none";
