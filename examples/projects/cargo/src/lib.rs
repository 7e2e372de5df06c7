pub fn greet(name: &str) -> String {
    format!("hello, {name}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_whom_it_is_for() {
        assert_eq!(super::greet("world"), "hello, world");
    }
}
