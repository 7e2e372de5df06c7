exports.word = "hello";
