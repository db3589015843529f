/** An issuer without trailing slashes, because providers differ in whether they write one. */
export const bareIssuer = (issuer: string): string => issuer.replace(/\/+$/, "");

/** Address of the provider's OpenID Connect discovery document. */
export const providerDocument = (issuer: string): string =>
  `${bareIssuer(issuer)}/.well-known/openid-configuration`;
