import { readFileSync } from 'node:fs';

const manifest = new URL('../../../package.json', import.meta.url);
const { version: released }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8')); // our own file

export const version = released;
