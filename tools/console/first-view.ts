/** Vite's manifest, with chunks by source. */
export type ViteManifest = Readonly<
  Record<string, { readonly file: string; readonly imports?: readonly string[]; readonly css?: readonly string[] }>
>;

/** Lazily loaded parts of the first view after sign-in: the shell and the list of clusters. */
const FIRST_VIEW = ['src/app/shell/shell.tsx', 'src/pages/clusters/page.tsx'];

/** Scripts that a browser loads until it shows the list of clusters, each once. */
export function scriptsLoadedBefore(manifest: ViteManifest, entry: string): readonly string[] {
  const scripts = new Set<string>();
  const visit = (source: string) => {
    const chunk = manifest[source];
    if (chunk === undefined) throw new Error(`the build has no ${source}`);
    if (scripts.has(chunk.file)) return;
    scripts.add(chunk.file);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const source of [entry, ...FIRST_VIEW]) visit(source);
  return [...scripts];
}
