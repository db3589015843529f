/** An issuer without slashes at its end: providers differ in whether they write one. */
export const bareIssuer = (issuer: string): string => issuer.replace(/\/+$/, "");

/** The document in which a provider of OpenID Connect describes itself. */
export const providerDocument = (issuer: string): string =>
  `${bareIssuer(issuer)}/.well-known/openid-configuration`;
