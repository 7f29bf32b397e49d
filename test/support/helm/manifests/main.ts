import { writeFileSync } from 'node:fs';
import { manifestsPath, renderedManifests } from '../helm.js';

// `npm run manifests`, with helm or Go: renders the plain manifests from the chart.
writeFileSync(manifestsPath, renderedManifests());
console.log(`wrote ${manifestsPath}`);
