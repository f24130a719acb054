const compiled = new Map<string, RegExp | undefined>();
const MAX_COMPILED = 1000;

/**
 * The regular expression of a schema's `pattern`, written for Go's RE2; undefined where JavaScript cannot read it. Leading flags
 * (`(?i)`) and Go's anchors are translated. Unlike RE2, JavaScript backtracks: a pattern is to be trusted like code.
 */
export function compilePattern(pattern: string): RegExp | undefined {
  if (compiled.has(pattern)) return compiled.get(pattern);
  const expression = tryCompile(pattern);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(pattern, expression);
  return expression;
}

function tryCompile(pattern: string): RegExp | undefined {
  const [, flags = '', rest = ''] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? [undefined, '', pattern];
  const source = rest.replaceAll(/\\([AzpP])/g, (found, letter: string) => {
    if (letter === 'A') return '^';
    return letter === 'z' ? '$' : found;
  });
  for (const mode of ['u', '']) {
    try {
      return new RegExp(source, flags + mode);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}
