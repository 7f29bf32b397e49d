import Router from '@koa/router';
import { z } from 'zod';
import type { RequestState, Routes } from '../../http/context.js';
import { type Route, serve } from '../../http/route-contract.js';
import type { SigningKeys } from './signing-keys.js';

/** `GET /.well-known/jwks.json`. */
export function keyRoutes({ signingKeys }: { signingKeys: SigningKeys }): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });
  serve(router, publicKeysRoute, (ctx) => {
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.body = signingKeys.publicKeys;
  });
  return router;
}

/** RFC 7517. */
const publicKey = z.looseObject({
  kty: z.string(),
  kid: z.string(),
  alg: z.string(),
  use: z.literal('sig').optional(),
});

export const publicKeysRoute: Route = {
  name: 'showPublicKeys',
  method: 'get',
  path: '/.well-known/jwks.json',
  tag: 'Platforms: sign-in and tokens',
  summary: 'Show the public keys of the access tokens',
  description: 'A JWK set ([RFC 7517](https://www.rfc-editor.org/rfc/rfc7517)).',
  credentials: { anonymous: [] },
  answer: { description: 'The keys.', schema: z.strictObject({ keys: z.array(publicKey) }) },
  errors: ['too_many_requests', 'internal_error'],
  commonErrors: 'none',
};
