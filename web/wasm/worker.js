// one run: the text as /model.mo, `daedal run` with the arguments, the data of its report
let ready = null;
onmessage = async (event) => {
  const { text, args } = event.data;
  const lines = [];
  if (!ready) {
    ready = createDaedal({ print: () => {}, printErr: (line) => self.say && self.say(line) });
  }
  try {
    const daedal = await ready;
    self.say = (line) => lines.push(line);
    daedal.FS.writeFile('/model.mo', text);
    try { daedal.FS.unlink('/out.json'); } catch { /* there is none yet */ }
    const code = daedal.ccall('play', 'number', ['string'], [args.join('\n')]);
    let data = null;
    try { data = daedal.FS.readFile('/out.json', { encoding: 'utf8' }); } catch { /* no result */ }
    postMessage({ code, data, err: lines.join('\n') });
  } catch (error) {
    postMessage({ code: 9, err: `${lines.join('\n')}\ndaedal: the run broke off: ${error.message || error}` });
  }
};
