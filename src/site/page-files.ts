import { type Assets, openAssets, ownAsset, packageAsset } from '../http/assets.js';
import type { PageFiles } from './chrome.js';

/** The files that every page loads, and their routes. `publicPath`: see `SiteSettings`. */
export function openPageFiles(publicPath: string): Pick<Assets, 'routes'> & PageFiles {
  const assets = openAssets([
    { name: 'console.css', file: ownAsset('console/console.css') },
    { name: 'drafts.js', file: ownAsset('console/drafts.js') },
    { name: 'console.js', file: ownAsset('console/console.js') },
    { name: 'charts.js', file: ownAsset('console/charts.js') },
    { name: 'live.js', file: ownAsset('console/live.js') },
    { name: 'slider.js', file: ownAsset('console/slider.js') },
    { name: 'favicon.svg', file: ownAsset('console/favicon.svg') },
    { name: 'icons.svg', file: ownAsset('console/icons.svg') },
    { name: 'htmx.js', file: packageAsset('htmx.org/dist/htmx.min.js') },
    { name: 'uplot.js', file: packageAsset('uplot/dist/uPlot.iife.min.js') },
    { name: 'uplot.css', file: packageAsset('uplot/dist/uPlot.min.css') },
  ]);
  const href = (name: string) => `${publicPath}${assets.path(name)}`;
  return {
    routes: assets.routes,
    stylesheets: ['uplot.css', 'console.css'].map(href),
    scripts: ['htmx.js', 'uplot.js', 'drafts.js', 'console.js', 'charts.js', 'live.js', 'slider.js'].map(href),
    icon: href('favicon.svg'),
    icons: href('icons.svg'),
  };
}
