/** node-oidc-provider has no types; this is the part used here. */
declare module 'oidc-provider' {
  type Saved = { save(): Promise<string> };

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): import('node:http').RequestListener;
    readonly Client: { find(clientId: string): Promise<object | undefined> };
    readonly Grant: new (
      properties: object,
    ) => Saved & {
      addOIDCScope(scope: string): void;
      addResourceScope(resource: string, scope: string): void;
    };
    readonly RefreshToken: new (
      properties: object,
    ) => Saved;
  }
}
