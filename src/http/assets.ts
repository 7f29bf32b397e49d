import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Router from '@koa/router';
import type { RequestState, Routes } from './context.js';

export type AssetFile = { name: string; file: URL };

export type Assets = {
  /** The path of an asset on this service, such as `/assets/Zl0W…/console.css`. Throws an error for a name that is none. */
  path: (name: string) => string;
  /** `GET /assets/{hash}/{name}`: cached by browsers for good, because other contents have another hash. */
  routes: Routes;
};

export const assetsPath = '/assets';

const compress = promisify(gzip);

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export const ownAsset = (path: string): URL => new URL(`../../../assets/${path}`, import.meta.url);

/** A file of an npm package, by the module path that its `exports` permit. */
export const packageAsset = (path: string): URL => new URL(import.meta.resolve(path));

/** Reads the files and hashes them. Throws if one is missing or has no known type: the package is incomplete. */
export function openAssets(files: readonly AssetFile[]): Assets {
  const assets = new Map(files.map(({ name, file }) => [name, openAsset(name, file)]));
  const router: Routes = new Router<RequestState>({ sensitive: true });

  router.get(`${assetsPath}/:hash/:name`, async (ctx, next) => {
    const asset = assets.get(ctx.params.name ?? '');
    if (!asset || asset.hash !== ctx.params.hash) return next(); // 404
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
    ctx.set('Vary', 'Accept-Encoding');
    ctx.set('Content-Type', asset.type);
    if (ctx.acceptsEncodings('gzip', 'identity') === 'gzip') {
      ctx.set('Content-Encoding', 'gzip');
      ctx.body = await asset.compressed();
    } else {
      ctx.body = asset.content;
    }
  });

  return {
    routes: router,
    path(name) {
      const asset = assets.get(name);
      if (!asset) throw new Error(`there is no asset ${name}`);
      return `${assetsPath}/${asset.hash}/${name}`;
    },
  };
}

function openAsset(name: string, file: URL) {
  const type = types[extname(name)];
  if (type === undefined) throw new Error(`the asset ${name} has no known type`);
  const content = readFileSync(fileURLToPath(file));
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 16);
  let compressing: Promise<Buffer> | undefined;
  return {
    hash,
    type,
    content,
    compressed() {
      compressing ??= compress(content);
      return compressing;
    },
  };
}
