import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runProgram } = await import('./command/run-program.ts');
process.exitCode = await runProgram(process.argv.slice(2));
