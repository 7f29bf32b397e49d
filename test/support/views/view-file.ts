import { join } from 'node:path';
import Database from 'better-sqlite3';

/** The file of a build of a view, as the embedded store keeps it in a data directory. */
export const viewFile = (directory: string, build: string): string => join(directory, 'read-models', `${build}.db`);

/** Changes the file while another process has it open. */
export function changeViewFile(directory: string, build: string, sql: string): void {
  const database = new Database(viewFile(directory, build));
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}
