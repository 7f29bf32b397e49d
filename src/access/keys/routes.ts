import Router from '@koa/router';
import type { RequestState, Routes } from '../../http/context.js';
import type { SigningKeys } from './signing-keys.js';

/** `GET /.well-known/jwks.json`: the public keys that verify the service's access tokens. */
export function keyRoutes({ signingKeys }: { readonly signingKeys: SigningKeys }): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });
  router.get('/.well-known/jwks.json', (ctx) => {
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.body = signingKeys.publicKeys;
  });
  return router;
}
