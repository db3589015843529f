/** An issuer without trailing slashes, for comparison: providers differ in whether they write them. */
export const bareIssuer = (issuer: string): string => issuer.replace(/\/+$/, "");

/** Address of the provider's OpenID Connect discovery document. */
export const discoveryDocumentUrl = (issuer: string): string =>
  `${bareIssuer(issuer)}/.well-known/openid-configuration`;
