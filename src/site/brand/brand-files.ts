import Router from '@koa/router';
import type { RequestState, Routes } from '../../http/context.js';
import type { PageFiles } from '../chrome.js';
import type { SiteBrand } from '../navigation.js';
import type { BrandSettings } from './settings.js';
import { themeOf } from './theme.js';

/** The files of pages with those of a brand, which are served below `base`. `publicPath`: see `SiteSettings`. */
export function brandFiles(
  { name, logo, colours }: BrandSettings,
  files: PageFiles,
  { base, publicPath }: { base: string; publicPath: string },
): { routes: Routes; branded: PageFiles & SiteBrand } {
  const routes: Routes = new Router<RequestState>({ sensitive: true });
  const serve = (fileName: string, type: string, content: string | Buffer): string => {
    const path = `${base}/theme/${fileName}`;
    routes.get(path, async (ctx) => {
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'"); // a logo that is opened by itself
      ctx.type = type;
      ctx.body = content;
    });
    return `${publicPath}${path}`;
  };
  const theme = colours && themeOf(colours);
  const themeHref = theme && serve(`${theme.hash}.css`, 'css', theme.css);
  const stylesheets = themeHref === undefined ? files.stylesheets : [...files.stylesheets, themeHref];
  const logoHref = logo && serve(`${logo.hash}.${logo.type}`, logo.type, logo.content);
  return { routes, branded: { ...files, stylesheets, name, logo: logoHref } };
}
