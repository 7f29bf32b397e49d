/** A program: takes a data directory, says so, and keeps it until it is killed. */
import { lockDataDirectory } from '../../../src/stores/sqlite/file-lock.js';

const [directory = ''] = process.argv.slice(2);
lockDataDirectory(directory);
console.log(process.pid);
setInterval(() => {}, 60_000);
