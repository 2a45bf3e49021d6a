/** Who may log in by OpenID Connect. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The first rule whose claim has its value gives the role; without any, nobody gets in. */
  readonly roles: readonly { readonly claim: string; readonly value: string; readonly role: 'reviewer' | 'admin' }[];
}
